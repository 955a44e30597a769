//! Patterns over command lines, which are read with a small grammar.
//!
//! A pattern describes one simple command: the program and its arguments, without quotes and with one space between
//! them. `ls **` matches `ls` with any arguments or none, `ls *` with exactly one that is not an option, and `ls*`
//! every command whose name starts with `ls` (also `lsof`). In an `allow` rule, a wildcard covers operands and the
//! options that the program table lists as harmless. In a `block` rule, a pattern matches widely.
//!
//! [`CommandLine::read`] reads a line without judging it: its commands, and each word's byte range in the text.
//! Everything outside of the grammar makes a line *unclear*: no `allow` rule matches it, and every `block` rule asks.

mod allow_pattern;
mod budget;
mod builder;
mod canonical;
mod cursor;
mod descent;
mod documents;
mod dollar;
mod file_access;
mod file_uses;
mod grammar;
mod keywords;
mod line;
mod list;
mod matching;
mod nested;
mod option_tokens;
mod pattern;
mod programs;
mod reach;
mod reader;
mod redirections;
mod runners;
mod samples;
mod script;
mod shells;
mod suggest;
mod uncovered;
mod unread;
mod unwritten_uses;
mod wildcard_word;
mod word_path;
mod words;

#[cfg(test)]
mod innocent;
#[cfg(test)]
mod line_tests;
#[cfg(test)]
mod option_tests;
#[cfg(test)]
mod reach_tests;
#[cfg(test)]
mod tests;

pub use allow_pattern::DeadWord;
pub use budget::ReadBudget;
pub use descent::find_git_subcommand;
pub use file_access::{FileCover, PathAccess};
pub use file_uses::{CommandWords, uses_in_text};
pub use line::{
    CommandAssignment, CommandLine, CommandRedirection, CommandWord, LiteralPiece, RedirectionKind,
    SimpleCommand, WordExpansion,
};
pub use matching::{find_allowed_commands, match_any, match_every, match_every_in};
pub use pattern::CommandPattern;
pub use programs::{OptionEffect, is_other_shell};
pub use reach::{OutsideKind, OutsidePath, PathBounds};
pub use samples::program_names;
pub use script::ParsedScript;
pub use uncovered::{HindranceKind, UncoveredCommand, WordHindrance};
pub use word_path::WordPath;
