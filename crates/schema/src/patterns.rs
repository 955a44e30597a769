//! Regular expressions in the dialect of JSON Schema (ECMA-262).

use crate::error::UnusableSchema;
use std::collections::{HashMap, hash_map::Entry};

/// The maximum number of patterns per check. Each uses its own memory.
const MAX_PATTERNS: usize = 100;
/// The memory limit for a compiled pattern, and for its cache, in bytes.
const MAX_PATTERN_MEMORY: usize = 512 * 1024;
/// The maximum number of backtracking attempts at one string.
const MAX_BACKTRACKS: usize = 10_000;

/// The patterns that were compiled.
#[derive(Default)]
pub(crate) struct PatternCache<'s> {
    compiled: HashMap<&'s str, CompiledPattern>,
}

/// Patterns match in linear time. Those with look-around need the backtracking engine, which gets a low limit.
enum CompiledPattern {
    Linear(regex::Regex),
    Backtracking(fancy_regex::Regex),
}

impl<'s> PatternCache<'s> {
    /// Returns true if the pattern matches somewhere in the text.
    pub(crate) fn matches(&mut self, pattern: &'s str, text: &str) -> Result<bool, UnusableSchema> {
        let unusable = || UnusableSchema::UnusablePattern(pattern.to_owned());
        let count = self.compiled.len();
        let compiled = match self.compiled.entry(pattern) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(_) if count >= MAX_PATTERNS => {
                return Err(UnusableSchema::TooManyPatterns(MAX_PATTERNS));
            }
            Entry::Vacant(entry) => entry.insert(compile(&translate_pattern(pattern)).ok_or_else(unusable)?),
        };
        match compiled {
            CompiledPattern::Linear(regex) => Ok(regex.is_match(text)),
            CompiledPattern::Backtracking(regex) => regex.is_match(text).map_err(|_| unusable()),
        }
    }
}

fn compile(pattern: &str) -> Option<CompiledPattern> {
    let linear = regex::RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN_MEMORY)
        .dfa_size_limit(MAX_PATTERN_MEMORY)
        .build();
    if let Ok(linear) = linear {
        return Some(CompiledPattern::Linear(linear));
    }
    let limited = fancy_regex::RegexBuilder::new(pattern)
        .backtrack_limit(MAX_BACKTRACKS)
        .delegate_size_limit(MAX_PATTERN_MEMORY)
        .delegate_dfa_size_limit(MAX_PATTERN_MEMORY)
        .build();
    limited.ok().map(CompiledPattern::Backtracking)
}

/// Translates the parts that have another meaning in this program's engines: `\d` and `\w` are ASCII, and `[` and `&` are
/// plain characters between brackets.
fn translate_pattern(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut characters = pattern.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match (characters.next(), in_class) {
                (Some('d'), false) => translated.push_str("[0-9]"),
                (Some('w'), false) => translated.push_str("[0-9A-Za-z_]"),
                (Some('d'), true) => translated.push_str("0-9"),
                (Some('w'), true) => translated.push_str("0-9A-Za-z_"),
                (Some('D'), _) => translated.push_str("[^0-9]"),
                (Some('W'), _) => translated.push_str("[^0-9A-Za-z_]"),
                (Some('/'), _) => translated.push('/'),
                (escaped, _) => {
                    translated.push('\\');
                    translated.extend(escaped);
                }
            },
            '[' if !in_class => {
                in_class = true;
                translated.push('[');
                if characters.next_if_eq(&'^').is_some() {
                    translated.push('^');
                }
            }
            ']' if in_class => {
                in_class = false;
                translated.push(']');
            }
            '[' | '&' | '~' if in_class => {
                translated.push('\\');
                translated.push(c);
            }
            c => translated.push(c),
        }
    }
    translated
}
