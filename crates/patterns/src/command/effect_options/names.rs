//! Finds the options that the text of a pattern names.

use super::uses::{OptionForm, OptionUse};

/// The parts of a pattern's text that may name an option. All parts within one pair of braces have the same number, because
/// only one of them occurs in a command.
pub(super) struct PatternNames<'a> {
    text: &'a str,
    parts: Vec<(usize, String)>,
}

impl<'a> PatternNames<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let mut parts = vec![(0, String::new())];
        let (mut depth, mut number, mut is_quoted) = (0_usize, 0, false);
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            let ends_part = match c {
                '\'' => {
                    is_quoted = !is_quoted;
                    continue;
                }
                '{' | '}' if !is_quoted => {
                    depth = if c == '{' { depth + 1 } else { depth.saturating_sub(1) };
                    true
                }
                ' ' | '*' | '?' | '[' | ']' => true,
                ',' => depth > 0,
                _ => false,
            };
            if ends_part {
                number += usize::from(depth == 0 || c == '{' && depth == 1);
                parts.push((number, String::new()));
            } else if let Some((_, part)) = parts.last_mut() {
                let c = if c == '\\' { rest.next().unwrap_or(c) } else { c };
                part.push(c);
            }
        }
        parts.retain(|(_, part)| !part.is_empty());
        Self { text, parts }
    }

    /// The number of times that the pattern names the option of these uses.
    pub(super) fn count(&self, uses: &[&OptionUse<'_>]) -> usize {
        // A script can contain spaces, so it is compared as a whole.
        let is_script = |used: &&&OptionUse<'_>| used.form == OptionForm::Word && used.written.contains(' ');
        let scripts = uses.iter().filter(is_script).filter(|used| self.text.contains(used.written)).count();
        let mut numbers: Vec<usize> = self
            .parts
            .iter()
            .filter(|(_, part)| uses.iter().any(|used| names_option(part, used)))
            .map(|(number, _)| *number)
            .collect();
        numbers.dedup();
        scripts + numbers.len()
    }
}

/// True if the part of a pattern names the option by one of its spellings, or as the command writes it.
fn names_option(part: &str, used: &OptionUse<'_>) -> bool {
    let begins =
        |name: &str| part.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
    let is_letters = matches!(used.form, OptionForm::Short(..));
    begins(used.written)
        || is_letters && used.written.starts_with('-') && part.starts_with(used.written)
        || matches!(used.form, OptionForm::Prefix(_)) && part.starts_with(used.written)
        || used.option.spellings.iter().any(|spelling| match spelling.strip_suffix('*') {
            Some(begin) => part.starts_with(begin),
            None if spelling.len() == 2 && spelling.starts_with('-') => part.starts_with(spelling.as_str()),
            None => begins(spelling),
        })
}

/// Splits the text of a pattern into words, without quotes.
pub(super) fn split_words(pattern: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in pattern.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => {
                if let Some(word) = words.last_mut() {
                    word.push(c);
                }
            }
        }
    }
    words
}
