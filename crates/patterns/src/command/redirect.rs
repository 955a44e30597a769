//! Reads redirections. A pattern can show `< file`; every other redirection to a file is a hidden effect.

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect};

use super::{read::ScriptReader, script::ParsedCommand, shells::StandardInput, word::ShellWord};

impl ScriptReader<'_> {
    /// Reads the redirections of a group or a loop, which no pattern over simple commands can show.
    pub(super) fn compound_redirects(&mut self, redirects: &[IoRedirect]) {
        let mut around = ParsedCommand::default();
        for redirect in redirects {
            self.redirect(redirect, &mut around, &mut StandardInput::Inherited);
        }
        self.script.has_hidden_effect |= around.has_hidden_effect || around.input.is_some();
    }

    pub(super) fn redirect(
        &mut self,
        redirect: &IoRedirect,
        command: &mut ParsedCommand,
        input: &mut StandardInput,
    ) {
        match redirect {
            IoRedirect::File(_, kind, target) => self.file_redirect(kind, target, command, input),
            IoRedirect::OutputAndError(word, _) => {
                let word = self.word(&word.value);
                command.has_hidden_effect |= !is_dev_null(&word);
            }
            IoRedirect::HereDocument(_, document) => {
                (command.has_hidden_effect, self.script.input.has_source) = (true, true);
                let mut text = ShellWord::literal(&document.doc.value);
                if document.requires_expansion {
                    text = ShellWord::read_quoted(&document.doc.value);
                    self.expansions(&text);
                }
                *input = StandardInput::Text(text);
            }
            IoRedirect::HereString(_, word) => {
                (command.has_hidden_effect, self.script.input.has_source) = (true, true);
                *input = StandardInput::Text(self.word(&word.value));
            }
        }
    }

    fn file_redirect(
        &mut self,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
        command: &mut ParsedCommand,
        input: &mut StandardInput,
    ) {
        let word = match target {
            IoFileRedirectTarget::Fd(_) => return,
            IoFileRedirectTarget::ProcessSubstitution(_, subshell) => {
                (command.has_hidden_effect, self.script.input.has_source) = (true, true);
                *input = StandardInput::Unknown;
                return self.list(&subshell.list);
            }
            IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                self.word(&word.value)
            }
        };
        match kind {
            _ if is_dev_null(&word) => {}
            IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput
                if is_descriptor(&word) => {}
            IoFileRedirectKind::Read if word.literal && command.input.is_none() => {
                command.input = Some(format!("< {}", word.shown()));
                *input = StandardInput::File;
            }
            _ => command.has_hidden_effect = true,
        }
    }
}

fn is_dev_null(word: &ShellWord) -> bool {
    word.literal && word.text == "/dev/null"
}

/// True for a file descriptor, for `-` (close), and for both together.
fn is_descriptor(word: &ShellWord) -> bool {
    let number = word.text.strip_suffix('-').unwrap_or(&word.text);
    word.literal && !word.text.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}
