//! Strings from models, tools and people in messages. A string must not look like another one, and must not become
//! markup.

use countersign_events::look::is_hidden_character;
use std::fmt::Write as _;

/// Returns the string on one line without invisible characters, `limit` characters at most.
pub(crate) fn clean(text: &str, limit: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(limit));
    for (count, c) in text.chars().enumerate() {
        if count == limit {
            shown.push('…');
            break;
        }
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            c if is_hidden_character(c) => {
                let _ = write!(shown, "\\u{{{:04x}}}", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Returns a clean string in which no chat finds a link.
pub(crate) fn clean_for_chat(text: &str, limit: usize) -> String {
    clean(text, limit).replace("://", "[:]//")
}

/// Returns the first `limit` characters, for a target that refuses more.
pub(crate) fn cut_text(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}

/// Returns a string for Markdown in which no character is markup: a backslash before a punctuation character makes it a plain one.
pub(crate) fn escape_punctuation(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_and_lines_are_shown() {
        assert_eq!(clean("a\u{202e}b\nc\u{200b}", 10), "a\\u{202e}b c\\u{200b}");
        assert_eq!(clean("abcdef", 3), "abc…");
        assert_eq!(clean_for_chat("see https://evil.example", 99), "see https[:]//evil.example");
    }
}
