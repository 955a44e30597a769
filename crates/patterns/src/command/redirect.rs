//! Redirections: what is written, what is read, and what nobody shows of it.

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect};

use super::{read::ScriptReader, script::ParsedCommand, shells::StandardInput, word::ShellWord};

impl ScriptReader<'_> {
    /// Redirections of a group or a loop: what no simple command shows.
    pub(super) fn redirects_around(&mut self, redirects: &[IoRedirect]) {
        let mut around = ParsedCommand::default();
        for redirect in redirects {
            self.redirect(redirect, &mut around, &mut StandardInput::Nothing);
        }
        self.script.unshown |= around.unshown || around.input.is_some();
    }

    pub(super) fn redirect(
        &mut self,
        redirect: &IoRedirect,
        command: &mut ParsedCommand,
        fed: &mut StandardInput,
    ) {
        match redirect {
            IoRedirect::File(_, kind, target) => self.file(kind, target, command, fed),
            IoRedirect::OutputAndError(word, _) => {
                let word = self.word(&word.value);
                command.unshown |= !is_nowhere(&word);
            }
            IoRedirect::HereDocument(_, document) => {
                (command.unshown, self.script.input.feeds) = (true, true);
                let mut text = ShellWord::literal(&document.doc.value);
                if document.requires_expansion {
                    text = ShellWord::read_quoted(&document.doc.value);
                    self.expansions(&text);
                }
                *fed = StandardInput::Text(text);
            }
            IoRedirect::HereString(_, word) => {
                (command.unshown, self.script.input.feeds) = (true, true);
                *fed = StandardInput::Text(self.word(&word.value));
            }
        }
    }

    fn file(
        &mut self,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
        command: &mut ParsedCommand,
        fed: &mut StandardInput,
    ) {
        let word = match target {
            IoFileRedirectTarget::Fd(_) => return,
            IoFileRedirectTarget::ProcessSubstitution(_, subshell) => {
                (command.unshown, self.script.input.feeds) = (true, true);
                *fed = StandardInput::Unknown;
                return self.list(&subshell.list);
            }
            IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                self.word(&word.value)
            }
        };
        match kind {
            _ if is_nowhere(&word) => {}
            IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput
                if is_descriptor(&word) => {}
            IoFileRedirectKind::Read if word.literal && command.input.is_none() => {
                command.input = Some(format!("< {}", word.shown()));
                *fed = StandardInput::File;
            }
            _ => command.unshown = true,
        }
    }
}

fn is_nowhere(word: &ShellWord) -> bool {
    word.literal && word.text == "/dev/null"
}

/// A number of an open file, `-` for closing, or both.
fn is_descriptor(word: &ShellWord) -> bool {
    let number = word.text.strip_suffix('-').unwrap_or(&word.text);
    word.literal && !word.text.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}
