//! What each word of a command is to its program.

use super::{
    options::{OptionEffect, OptionEntry},
    table::InputUse,
};
use crate::command::line::CommandWord;

/// A command whose words were found in the table.
#[derive(Debug, Clone, Default)]
pub(in crate::command) struct CommandReading {
    /// One role for each word. The words of an inner command have no separate roles.
    pub(in crate::command) roles: Vec<WordRole>,
    /// The options that the table lists, in order.
    pub(in crate::command) uses: Vec<OptionUse>,
    pub(in crate::command) inner: Option<InnerCommand>,
    pub(in crate::command) program: ProgramKnowledge,
    pub(in crate::command) input: InputUse,
    /// Whether no argument of the program can have an effect.
    pub(in crate::command) is_inert: bool,
    /// Index of the word that follows all subcommands.
    pub(in crate::command) subcommand_end: usize,
    /// Indices of the words that are plain text, and name no file.
    pub(in crate::command) texts: Vec<usize>,
    /// Whether it only reads the files that its words name.
    pub(in crate::command) only_reads: bool,
}

/// What a word is to its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::command) enum WordRole {
    /// An operand, a harmless option or its value, a subcommand: a wildcard covers it.
    Free,
    /// A pattern must spell out the first `written` bytes.
    Fixed {
        written: usize,
        /// The effect, if the table knows it.
        effect: Option<OptionEffect>,
    },
}

/// The command in another command's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::command) struct InnerCommand {
    /// Where it starts.
    pub(in crate::command) at: usize,
    pub(in crate::command) kind: InnerKind,
    /// Whether a pattern must spell out its program.
    pub(in crate::command) is_named: bool,
    /// Whether arguments from the standard input are added.
    pub(in crate::command) appends_input: bool,
}

/// What the table says about a whole program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::command) enum ProgramKnowledge {
    /// It does not list the program.
    #[default]
    Unknown,
    /// It lists the program.
    Known,
    /// It lists the program, and a wildcard does not cover its name.
    Named,
    /// It is a shell with another grammar.
    OtherShell,
}

/// The way in which an inner command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::command) enum InnerKind {
    /// The words are the program and its arguments.
    Words,
    /// The first word names a module for the program.
    Module,
    /// A shell reads the words, joined with spaces.
    Joined,
    /// A shell reads the first word. The others are its arguments.
    Script,
}

/// One use of an option or a special operand of the table.
#[derive(Debug, Clone)]
pub(in crate::command) struct OptionUse {
    pub(in crate::command) option: &'static OptionEntry,
    /// The word's part that names the option: `--outp`, `-no`, `+`.
    pub(in crate::command) written: String,
    /// Word index in the command.
    pub(in crate::command) at: usize,
    /// Which spelling was used.
    pub(in crate::command) spelling: usize,
    pub(in crate::command) form: OptionForm,
    pub(in crate::command) effect: Option<OptionEffect>,
}

/// The form in which an option is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command) enum OptionForm {
    /// `--output`, `--output=value`, `-exec`.
    Long(Option<String>),
    /// A letter in a bundle, with its attached value.
    Short(char, String),
    /// What an operand starts with, and what follows.
    Prefix(String),
    /// A whole word.
    Word,
}

impl WordRole {
    /// For words that a pattern must spell out completely.
    pub(super) const UNLISTED: Self = Self::Fixed { written: usize::MAX, effect: None };

    pub(super) fn fixed(written: usize, effect: Option<OptionEffect>) -> Self {
        Self::Fixed { written, effect }
    }

    pub(in crate::command) fn effect(self) -> Option<OptionEffect> {
        match self {
            Self::Free => None,
            Self::Fixed { effect, .. } => effect,
        }
    }
}

impl OptionUse {
    /// Index of the word with the option's value, in the command.
    pub(super) fn value_index(&self) -> usize {
        let is_attached = match &self.form {
            OptionForm::Long(value) => value.is_some(),
            OptionForm::Short(_, value) => !value.is_empty(),
            OptionForm::Prefix(_) | OptionForm::Word => true,
        };
        if is_attached { self.at } else { self.at + 1 }
    }
}

impl CommandReading {
    pub(in crate::command) fn is_known(&self) -> bool {
        self.program != ProgramKnowledge::Unknown
    }

    /// Whether a pattern must spell out the program.
    pub(in crate::command) fn is_named(&self) -> bool {
        matches!(self.program, ProgramKnowledge::Named | ProgramKnowledge::OtherShell)
    }

    /// Whether the program may run one of its words as code, as far as the table knows.
    pub(in crate::command) fn may_run_words(&self) -> bool {
        let runs = |role: &WordRole| role.effect() == Some(OptionEffect::Run);
        let end = self.inner.map_or(self.roles.len(), |inner| inner.at.min(self.roles.len()));
        !self.is_known() || self.is_named() || self.roles[..end].iter().any(runs)
    }

    /// Whether a launcher has an option that the table does not list, which may take the next word as its value.
    pub(in crate::command) fn has_unlisted_option(&self, words: &[CommandWord]) -> bool {
        let end = self.inner.map_or(self.roles.len(), |inner| inner.at.min(self.roles.len()));
        self.roles[..end].iter().zip(words).any(|(role, word)| {
            matches!(role, WordRole::Fixed { effect: None, .. })
                && (word.text.starts_with('-') || word.may_be_option())
        })
    }
}
