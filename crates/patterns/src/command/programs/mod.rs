//! The table of programs: their subcommands, the options that are known to be harmless, the options and operands that
//! are known to have an effect, and the way in which a program runs its arguments.
//!
//! It is a closed world: a pattern wildcard covers operands and listed harmless options. Every other option must be
//! spelled out by the pattern. The files `*.toml` in this folder are the table; `README.md` there describes their keys.

mod options;
mod read_operands;
mod read_options;
mod resolve;
mod roles;
mod scripts;
mod special;
mod table;
#[cfg(test)]
mod tests;
mod variables;

pub(super) use options::{OptionEntry, OptionSource};
pub(super) use roles::{CommandReading, InnerKind, OptionForm, OptionUse, ProgramKnowledge, WordRole};
pub(super) use table::{InputUse, ProgramTable};
pub(super) use variables::is_harmless_variable;

pub use options::OptionEffect;

/// Whether the word names a shell whose grammar is not read, such as PowerShell or fish.
#[must_use]
pub fn is_other_shell(word: &str) -> bool {
    let name = word.rsplit('\\').next().unwrap_or_default();
    resolve::programs_own(&ProgramTable::shared().find_program(name))
        .iter()
        .any(|entry| entry.row.other_grammar)
}
