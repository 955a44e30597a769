//! Fitting text to columns, as a terminal counts them.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many columns the text takes.
pub(super) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text in parts of so many columns, every character in its place: where a part ends says nothing.
pub(super) fn hard(text: &str, columns: usize) -> Vec<String> {
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

/// As [`hard`], but a part ends behind a space where one stands near its end.
pub(super) fn gently(text: &str, columns: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut carried, mut taken) = (String::new(), 0);
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if taken + wide > columns {
            let space = carried.rfind(' ').map(|space| space + 1);
            let near = space.filter(|space| width(&carried[*space..]) * 3 <= columns);
            let rest = near.map_or_else(String::new, |space| carried.split_off(space));
            taken = width(&rest);
            parts.push(std::mem::replace(&mut carried, rest));
        }
        taken += wide;
        carried.push(c);
    }
    parts.push(carried);
    parts
}

/// The text in parts that end between words, where words are short enough.
pub(super) fn soft(text: &str, columns: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            parts.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if width(&line) > columns {
            let mut pieces = hard(&line, columns);
            line = pieces.pop().unwrap_or_default();
            parts.extend(pieces);
        }
    }
    parts.push(line);
    parts
}

/// The text in one line of so many columns, with `…` where something was left away.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = hard(text, columns.saturating_sub(1)).into_iter().next().unwrap_or_default();
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// Parts joined by ` · ` on as few lines as hold them.
pub(super) fn flow(parts: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        let part = cut(part, columns);
        match lines.last_mut() {
            Some(line) if width(line) + 3 + width(&part) <= columns => line.extend([" · ", &part]),
            _ => lines.push(part),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_text_to_columns_and_loses_nothing() {
        assert_eq!(hard("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(hard("世界a", 3), ["世", "界a"]);
        assert_eq!(hard("", 3), [""]);
        assert_eq!(gently("make the whole of it", 10), ["make the ", "whole of ", "it"]);
        assert_eq!(gently("a abcdefghijkl", 6), ["a abcd", "efghij", "kl"]);
        assert_eq!(soft("one two three", 7), ["one two", "three"]);
        assert_eq!(soft("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("世界", 3), "世…");
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("abcd", 0), "");
        assert_eq!(
            flow(&["by ada".into(), "in t1".into(), "2s ago".into()], 14),
            ["by ada · in t1", "2s ago"]
        );
    }
}
