//! Patterns over command lines, which are read with a small grammar.
//!
//! A pattern describes one simple command: the program and its arguments, without quotes and with one space between
//! them. `ls*` matches every command that begins with `ls` (also `lsof`), `ls *` matches `ls` with arguments, and
//! `ls **` matches `ls` with or without arguments.
//!
//! [`CommandLine::read`] reads a line without judging it: its commands, and the place of each word in the text.
//! Everything outside of the grammar makes a line *unclear*: no `allow` rule matches it, and every `block` rule asks.

mod budget;
mod builder;
mod code_arguments;
mod code_table;
mod code_words;
mod cursor;
mod documents;
mod dollar;
mod effect_options;
mod grammar;
mod keywords;
mod known_programs;
mod line;
mod list;
mod matching;
mod nested;
mod pattern;
mod reader;
mod redirections;
mod runner_table;
mod runners;
mod script;
mod shells;
mod suggest;
mod words;

#[cfg(test)]
mod innocent;
#[cfg(test)]
mod line_tests;
#[cfg(test)]
mod tests;

pub use budget::ReadBudget;
pub use effect_options::OptionEffect;
pub use line::{
    CommandAssignment, CommandLine, CommandRedirection, CommandWord, LiteralPiece, RedirectionKind,
    SimpleCommand, WordExpansion,
};
pub use matching::{find_allowed_commands, match_any, match_every};
pub use pattern::CommandPattern;
pub use script::ParsedScript;
