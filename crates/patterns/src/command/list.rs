//! The state while a command list is being read.

use super::{
    documents::{DocumentPlace, PendingDocument},
    line::{CommandAssignment, CommandWord, SimpleCommand},
};

/// A group, a subshell or a keyword that waits for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenBlock {
    /// `(`; true if the parenthesis does not open a subshell, so that its commands are doubtful.
    Subshell(bool),
    Group,
    /// `if` or `elif`, before `then`.
    Condition,
    /// `then`.
    Branch,
    /// `else`.
    LastBranch,
    /// `for`, `while` or `until`, before `do`.
    LoopHead,
    /// `do`.
    LoopBody,
}

/// A list of commands that is being read.
#[derive(Debug)]
pub(super) struct ListState {
    pub(super) blocks: Vec<OpenBlock>,
    /// The command that is being read.
    pub(super) command: SimpleCommand,
    /// Whether a block has just ended, so that only redirections and separators may follow.
    pub(super) after_block: bool,
    /// Whether an operator has just been read that needs another command.
    pub(super) needs_command: bool,
    pub(super) pending: Vec<PendingDocument>,
}

impl ListState {
    pub(super) fn new() -> Self {
        Self {
            blocks: Vec::new(),
            command: SimpleCommand::default(),
            after_block: false,
            needs_command: false,
            pending: Vec::new(),
        }
    }

    /// Whether a command may start here.
    pub(super) fn is_at_start(&self) -> bool {
        !self.after_block && self.is_command_empty()
    }

    pub(super) fn is_command_empty(&self) -> bool {
        self.command.words.is_empty()
            && self.command.assignments.is_empty()
            && self.command.redirections.is_empty()
    }

    /// Takes the command that ends here. `index` is its index in the line.
    pub(super) fn take_command(&mut self, index: usize) -> Option<SimpleCommand> {
        self.after_block = false;
        if self.is_command_empty() {
            return None;
        }
        self.needs_command = false;
        for document in self.pending.iter_mut().filter(|one| one.place == DocumentPlace::OpenCommand) {
            document.place = DocumentPlace::Command(index);
        }
        let mut command = std::mem::take(&mut self.command);
        command.is_doubtful |= self.blocks.contains(&OpenBlock::Subshell(true));
        Some(command)
    }

    /// Opens a block.
    pub(super) fn open(&mut self, block: OpenBlock) {
        self.blocks.push(block);
        self.needs_command = false;
    }

    /// Replaces the innermost block. Returns false if it is not `expected`.
    pub(super) fn replace(&mut self, expected: &[OpenBlock], block: OpenBlock) -> bool {
        match self.blocks.last_mut().filter(|last| expected.contains(last)) {
            Some(last) => *last = block,
            None => return false,
        }
        true
    }

    /// Closes the innermost block. Returns false if it is not `expected`.
    pub(super) fn close(&mut self, expected: &[OpenBlock]) -> bool {
        let is_expected = self.blocks.last().is_some_and(|last| expected.contains(last));
        if is_expected {
            self.blocks.pop();
            self.after_block = true;
            self.needs_command = false;
        }
        is_expected
    }

    /// Adds a word or an assignment to the command.
    pub(super) fn add_word(&mut self, word: CommandWord) {
        if self.command.words.is_empty()
            && let Some((name, _)) = word.raw.split_once('=')
            && is_name(name.strip_suffix('+').unwrap_or(name))
        {
            let name = name.to_owned();
            self.command.assignments.push(CommandAssignment { value: word.after_equals(), name });
            return;
        }
        self.command.words.push(word);
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
        && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}
