//! Numbers and verdicts as words.

use super::{screen::TextStyle, text::escape_text};
use countersign_events::Verdict;

/// A number and its noun, such as `1 call` or `2 calls`.
#[must_use]
pub fn count_words(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The most names that one line has.
const MOST_NAMES: usize = 6;

/// Names of rules for one line, such as `"no deploys", "no deletes" and 3 more`.
#[must_use]
pub fn describe_rule_names<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let shown: Vec<_> = names.take(MOST_NAMES).map(|name| format!("\"{}\"", escape_text(name))).collect();
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", shown.join(", "))
}

/// The verdict as a word.
#[must_use]
pub const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Block => "block",
    }
}

/// The style for a verdict.
#[must_use]
pub const fn verdict_style(verdict: Verdict) -> TextStyle {
    match verdict {
        Verdict::Allow => TextStyle::Green,
        Verdict::Ask => TextStyle::Yellow,
        Verdict::Block => TextStyle::Red,
    }
}
