//! Shells: what they run by their options, and what they read.

use super::word::ShellWord;
use crate::path::normalise;

pub(super) const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"];

/// What a command reads from its standard input.
#[derive(Debug, Clone)]
pub(super) enum StandardInput {
    /// Nothing that this command line says.
    Nothing,
    /// What another command writes.
    Unknown,
    /// A file.
    File,
    /// A text that stands in the command line.
    Text(ShellWord),
}

/// What a command runs in its turn.
#[derive(Debug, Default)]
pub(super) struct NestedRun {
    pub(super) scripts: Vec<String>,
    /// The words of commands, and whether each is only one way to read them.
    pub(super) commands: Vec<(Vec<ShellWord>, bool)>,
    /// Whether it runs something that cannot be known.
    pub(super) unknown: bool,
    /// Whether it is a shell that reads commands, and nothing beside it says which.
    pub(super) listens: bool,
}

impl NestedRun {
    /// `sh -c script`, `sh file`, or what comes in by standard input.
    pub(super) fn shell(&mut self, name: &str, arguments: &[ShellWord], fed: &StandardInput) {
        let mut rest = arguments.iter().peekable();
        let (mut commanded, mut reads) = (false, false);
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            let short = text.len() > 1 && text.starts_with(['-', '+']) && !text.starts_with("--");
            commanded |= short && text.contains('c') || text == "--command";
            reads |= short && text.contains('s');
            self.unknown |= short && !word.literal;
            // `-C` and the long ones are those of fish.
            commanded |= name == "fish" && (short && text.contains('C') || text == "--init-command");
            if let Some((_, script)) = text.split_once("command=").filter(|_| text.starts_with("--")) {
                self.unknown |= !word.literal;
                self.scripts.push(script.to_owned());
            }
            if matches!(text, "--rcfile" | "--init-file") {
                rest.next();
            } else if short && text.contains(['o', 'O']) {
                // `-euo pipefail`: the last letter takes a word of its own, if it comes to one.
                rest.next_if(|next| !next.text.starts_with(['-', '+']));
            } else if reads && !commanded {
                return self.fed(fed);
            } else if !text.starts_with(['-', '+']) {
                return self.operand(word, commanded, fed);
            } else if !word.literal {
                self.unknown = true;
            }
        }
        self.fed(fed);
    }

    /// The first word of a shell that is no option.
    fn operand(&mut self, word: &ShellWord, commanded: bool, fed: &StandardInput) {
        if commanded {
            return self.script(word);
        }
        let file = normalise(&word.text).unwrap_or_else(|| word.text.clone());
        if matches!(file.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-") {
            return self.fed(fed);
        }
        let descriptor = ["/dev/fd/", "/proc/", "dev/stdin"].iter().any(|part| file.contains(part));
        self.unknown |= !word.literal || descriptor;
    }

    fn fed(&mut self, fed: &StandardInput) {
        match fed {
            StandardInput::Nothing => self.listens = true,
            StandardInput::File => {}
            StandardInput::Unknown => self.unknown = true,
            StandardInput::Text(text) => {
                self.unknown |= !text.literal;
                self.scripts.push(text.raw.clone());
            }
        }
    }

    pub(super) fn source(&mut self, arguments: &[ShellWord], fed: &StandardInput) {
        let Some(file) = arguments.first() else { return };
        self.operand(file, false, fed);
    }
}
