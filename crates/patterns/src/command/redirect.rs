//! Redirections: what is written, what is read, and what nobody shows of it.

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect};

use super::{read::Reading, script::Simple, shells::Fed, word::Word};

impl Reading<'_> {
    /// Redirections of a group or a loop: what no simple command shows.
    pub(super) fn redirects_around(&mut self, redirects: &[IoRedirect]) {
        let mut around = Simple::default();
        for redirect in redirects {
            self.redirect(redirect, &mut around, &mut Fed::Nothing);
        }
        self.script.unshown |= around.unshown || around.input.is_some();
    }

    pub(super) fn redirect(&mut self, redirect: &IoRedirect, command: &mut Simple, fed: &mut Fed) {
        match redirect {
            IoRedirect::File(_, kind, target) => self.file(kind, target, command, fed),
            IoRedirect::OutputAndError(word, _) => {
                let word = self.word(&word.value);
                command.unshown |= !is_nowhere(&word);
            }
            IoRedirect::HereDocument(_, document) => {
                (command.unshown, self.script.input.feeds) = (true, true);
                let mut text = Word::literal(&document.doc.value);
                if document.requires_expansion {
                    text = Word::read_quoted(&document.doc.value);
                    self.expansions(&text);
                }
                *fed = Fed::Text(text);
            }
            IoRedirect::HereString(_, word) => {
                (command.unshown, self.script.input.feeds) = (true, true);
                *fed = Fed::Text(self.word(&word.value));
            }
        }
    }

    fn file(
        &mut self,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
        command: &mut Simple,
        fed: &mut Fed,
    ) {
        let word = match target {
            IoFileRedirectTarget::Fd(_) => return,
            IoFileRedirectTarget::ProcessSubstitution(_, subshell) => {
                (command.unshown, self.script.input.feeds) = (true, true);
                *fed = Fed::Unknown;
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
                *fed = Fed::File;
            }
            _ => command.unshown = true,
        }
    }
}

fn is_nowhere(word: &Word) -> bool {
    word.literal && word.text == "/dev/null"
}

/// A number of an open file, `-` for closing, or both.
fn is_descriptor(word: &Word) -> bool {
    let number = word.text.strip_suffix('-').unwrap_or(&word.text);
    word.literal && !word.text.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}
