//! Numbers and verdicts as words.

use super::screen::TextStyle;
use countersign_gate::event::Verdict;

/// A number and its noun, such as `1 call` or `2 calls`.
pub(crate) fn count_words(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The verdict as a word.
pub(crate) const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Block => "block",
    }
}

/// The style of a verdict.
pub(crate) const fn verdict_style(verdict: Verdict) -> TextStyle {
    match verdict {
        Verdict::Allow => TextStyle::Green,
        Verdict::Ask => TextStyle::Yellow,
        Verdict::Block => TextStyle::Red,
    }
}
