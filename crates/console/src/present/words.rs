//! Numbers and verdicts as words.

use super::screen::TextStyle;
use countersign_events::Verdict;

/// A number and its noun, such as `1 call` or `2 calls`.
#[must_use]
pub fn count_words(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
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
