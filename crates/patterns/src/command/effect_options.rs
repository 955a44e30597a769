//! Options that make a program write, delete or run something: `git log --output=file` overwrites a file. A pattern
//! covers such an option only if it names it; a `*` does not.
//!
//! `effect_options.toml` lists the options of each program.

mod canonical;
mod names;
mod scripts;
mod table;
mod uses;

#[cfg(test)]
mod tests;

pub use table::OptionEffect;

use names::PatternNames;
use uses::{MAX_WORDS, OptionForm, OptionUse, find_tables, find_uses, has_many_programs, has_no_subcommand};

/// True if the command uses an option of the table that the text of the pattern does not name. The words are without
/// quotes.
pub(super) fn has_unnamed_effect(pattern: &str, words: &[&str]) -> bool {
    if words.len() > MAX_WORDS || has_many_programs(words) {
        return has_table(words);
    }
    let uses = find_uses(words);
    if uses.is_empty() {
        return false;
    }
    let names = PatternNames::read(pattern);
    uses.iter().any(|option| {
        let same: Vec<_> = uses.iter().filter(|other| std::ptr::eq(other.option, option.option)).collect();
        // A pattern that names an option once does not cover a second use, which may have another value.
        names.count(&same) < same.len()
    })
}

/// True if the table lists options for the program and its subcommand, so that an unknown argument may be one.
pub(super) fn has_table(words: &[&str]) -> bool {
    find_tables(words)
        .any(|(start, program)| !program.before_subcommand || has_no_subcommand(&words[start..]))
}

/// Other spellings of the command for `block` patterns: its options long, short, or directly after the subcommand.
pub(super) fn canonical_spellings(words: &[&str]) -> Vec<Vec<String>> {
    canonical::write_spellings(words)
}

/// The options that the pattern names and allows with any value: their spelling, and their effect.
pub(super) fn find_open_options(pattern: &str) -> Vec<(String, OptionEffect)> {
    let words = names::split_words(pattern);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_open = |found: &OptionUse<'_>| match found.form {
        OptionForm::Long(Some(value)) | OptionForm::Prefix(value) => has_wildcard(value),
        OptionForm::Short(_, value) if !value.is_empty() => has_wildcard(value),
        _ if found.option.value => {
            words[found.at].ends_with('*') || words.get(found.at + 1).is_some_and(|next| has_wildcard(next))
        }
        OptionForm::Word => false,
        _ => has_wildcard(pattern),
    };
    let mut found: Vec<(String, OptionEffect)> = Vec::new();
    for option in find_uses(&words).iter().filter(|option| is_open(option)) {
        let written = option.written.trim_end_matches('*').to_owned();
        if !found.iter().any(|(listed, _)| *listed == written) {
            found.push((written, option.option.effect));
        }
    }
    found
}

/// Some options of the table that a pattern such as `find **` does not cover although it seems to allow any argument.
pub(super) fn find_uncovered_options(pattern: &str) -> Vec<&'static str> {
    let program = pattern.strip_suffix('*').map(|rest| rest.trim_end_matches('*').trim_end());
    let Some(program) = program.filter(|name| !has_wildcard(name) && !name.contains([' ', '\\'])) else {
        return Vec::new();
    };
    find_tables(&[program])
        .filter(|(_, program)| {
            program.subcommands.is_empty() && program.except.is_empty() && !program.before_subcommand
        })
        .flat_map(|(_, program)| program.options.iter().filter_map(|option| option.spellings.first()))
        .filter(|spelling| !spelling.starts_with('<'))
        .map(|spelling| spelling.trim_end_matches('*'))
        .collect()
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '['])
}
