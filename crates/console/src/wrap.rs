//! Fits text to terminal columns.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The number of columns that the text needs.
#[must_use]
pub fn text_width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Splits the text after a number of columns and keeps every character, spaces included.
#[must_use]
pub fn split_columns(text: &str, columns: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut taken = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if taken + wide > columns {
            parts.push(String::new());
            taken = 0;
        }
        taken += wide;
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

/// As [`split_columns`], but splits after a space if one is near.
pub fn split_near_space(text: &str, columns: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut carried, mut taken) = (String::new(), 0);
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if taken + wide > columns {
            let space = carried.rfind(' ').map(|space| space + 1);
            let near = space.filter(|space| text_width(&carried[*space..]) * 3 <= columns);
            let rest = near.map_or_else(String::new, |space| carried.split_off(space));
            taken = text_width(&rest);
            parts.push(std::mem::replace(&mut carried, rest));
        }
        taken += wide;
        carried.push(c);
    }
    parts.push(carried);
    parts
}

/// Wraps the text between words. A word that is too long is split.
#[must_use]
pub fn wrap_words(text: &str, columns: usize) -> Vec<String> {
    let options = Options::new(columns.max(1))
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// The text on one line, with `…` at the end if it does not fit.
#[must_use]
pub fn truncate_text(text: &str, columns: usize) -> String {
    if text_width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = split_columns(text, columns.saturating_sub(1)).into_iter().next().unwrap_or_default();
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// The text on one line, with `…` at the beginning if it does not fit. The end of a path is the most telling part.
#[must_use]
pub fn truncate_start(text: &str, columns: usize) -> String {
    let width = text_width(text);
    if width <= columns {
        return text.to_owned();
    }
    let mut left = width;
    let rest = text.char_indices().find(|(_, c)| {
        let fits = left < columns;
        left -= c.width().unwrap_or(0).min(left);
        fits
    });
    rest.map_or_else(|| "…".to_owned(), |(start, _)| format!("…{}", &text[start..]))
}

/// Joins parts with ` · ` on as few lines as possible.
#[must_use]
pub fn join_parts(parts: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        let part = truncate_text(part, columns);
        match lines.last_mut() {
            Some(line) if text_width(line) + 3 + text_width(&part) <= columns => line.extend([" · ", &part]),
            _ => lines.push(part),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_fitted_without_losing_characters() {
        assert_eq!(split_columns("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(split_columns("世界a", 3), ["世", "界a"]);
        assert_eq!(split_columns("", 3), [""]);
        assert_eq!(split_near_space("make the whole of it", 10), ["make the ", "whole of ", "it"]);
        assert_eq!(split_near_space("a abcdefghijkl", 6), ["a abcd", "efghij", "kl"]);
        assert_eq!(wrap_words("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap_words("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(truncate_text("abcdef", 4), "abc…");
        assert_eq!(truncate_text("世界", 3), "世…");
        assert_eq!(truncate_text("abcd", 4), "abcd");
        assert_eq!(truncate_text("abcd", 0), "");
        assert_eq!(
            join_parts(&["by ada".into(), "in t1".into(), "2s ago".into()], 14),
            ["by ada · in t1", "2s ago"]
        );
    }
}
