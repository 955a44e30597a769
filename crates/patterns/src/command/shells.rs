//! Finds the commands that a shell runs: its `-c` script and its standard input.

use super::{line::CommandWord, programs::InnerKind};
use crate::path::normalise;

pub(super) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash"];

/// The source of standard input for a command.
#[derive(Debug, Clone)]
pub(super) enum StandardInput {
    /// The command line does not redirect it.
    Inherited,
    /// The output of another command.
    Unknown,
    /// A file.
    File,
    /// A here-document or here-string in the command line.
    Text(CommandWord),
}

/// The commands that one command runs.
#[derive(Debug, Default)]
pub(super) struct NestedRun {
    /// Command lines that a shell parses.
    pub(super) scripts: Vec<String>,
    /// The words of commands.
    pub(super) commands: Vec<Vec<CommandWord>>,
    /// The way in which the command runs them, if it is a launcher.
    pub(super) kind: Option<InnerKind>,
    /// Whether any of the words may be a command or a script.
    pub(super) runs_any_word: bool,
    /// Whether it also runs a command that cannot be determined.
    pub(super) unknown: bool,
    /// Whether the shell reads commands from an inherited standard input.
    pub(super) reads_inherited_input: bool,
}

impl NestedRun {
    /// Adds the commands of `sh -c script`, of `sh file` or of a shell that reads its standard input.
    pub(super) fn add_shell(&mut self, arguments: &[CommandWord], input: &StandardInput) {
        let mut rest = arguments.iter().peekable();
        let (mut has_script, mut reads_input) = (false, false);
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            let short = text.len() > 1 && text.starts_with(['-', '+']) && !text.starts_with("--");
            has_script |= short && text.contains('c') || text == "--command";
            reads_input |= short && text.contains('s');
            self.unknown |= short && !word.is_literal();
            if let Some((_, script)) = text.split_once("command=").filter(|_| text.starts_with("--")) {
                self.unknown |= !word.is_literal();
                self.scripts.push(script.to_owned());
            }
            if matches!(text, "--rcfile" | "--init-file") {
                rest.next();
            } else if short && text.contains(['o', 'O']) {
                // The `o` in `-euo pipefail` takes the next word as its value.
                rest.next_if(|next| !next.text.starts_with(['-', '+']));
            } else if reads_input && !has_script {
                return self.add_input(input);
            } else if !text.starts_with(['-', '+']) {
                return self.add_operand(word, has_script, input);
            } else if !word.is_literal() {
                self.unknown = true;
            }
        }
        self.add_input(input);
    }

    /// Adds a shell's first operand: its script, or the file that it reads.
    fn add_operand(&mut self, word: &CommandWord, has_script: bool, input: &StandardInput) {
        if has_script {
            return self.add_script(word);
        }
        if is_standard_input(word) {
            return self.add_input(input);
        }
        self.unknown |= !word.is_literal() || is_input_file(word);
    }

    fn add_input(&mut self, input: &StandardInput) {
        match input {
            StandardInput::Inherited => self.reads_inherited_input = true,
            StandardInput::File => {}
            StandardInput::Unknown => self.unknown = true,
            StandardInput::Text(text) => {
                self.unknown |= !text.is_literal();
                self.scripts.push(text.raw.clone());
            }
        }
    }

    pub(super) fn add_source(&mut self, arguments: &[CommandWord], input: &StandardInput) {
        let Some(file) = arguments.first() else { return };
        self.add_operand(file, false, input);
    }
}

/// Returns true if a file is the standard input.
fn is_standard_input(word: &CommandWord) -> bool {
    let file = normalise(&word.text).unwrap_or_else(|| word.text.clone());
    matches!(file.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-")
}

/// Returns true if a file is an open descriptor, whose content comes from elsewhere.
pub(super) fn is_input_file(word: &CommandWord) -> bool {
    let file = normalise(&word.text).unwrap_or_else(|| word.text.clone());
    !word.is_literal() || ["/dev/fd/", "/proc/", "dev/stdin"].iter().any(|part| file.contains(part))
}
