//! Escaping text for a terminal, and formatting durations and arguments.

use countersign_events::look::is_hidden_character;
use countersign_gate::{Json, Timestamp};
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr;

/// Escapes every character that a terminal would not show as itself: control characters, marks that change the
/// direction of writing, zero-width and other special spaces, and characters without an agreed look.
#[must_use]
pub fn escape_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden_character(c) {
            let _ = write!(shown, "\\u{{{:04x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Escapes a text of several lines and keeps its line breaks, so that text from a server or an agent cannot
/// control the terminal.
#[must_use]
pub fn escape_lines(text: &str) -> String {
    text.split('\n').map(escape_text).collect::<Vec<_>>().join("\n")
}

/// The distance of tab stops.
const TAB_STOP: usize = 8;

/// As [`escape_text`], for one line of a text in which tabs are usual: a tab is shown as the space up to the next tab
/// stop.
#[must_use]
pub fn escape_tabbed_line(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for (index, part) in line.split('\t').enumerate() {
        if index > 0 {
            let space = TAB_STOP - UnicodeWidthStr::width(shown.as_str()) % TAB_STOP;
            shown.extend(std::iter::repeat_n(' ', space));
        }
        shown.push_str(&escape_text(part));
    }
    shown
}

/// The age of a moment, such as `5m 2s ago`.
#[must_use]
pub fn format_age(then: Timestamp, now: Timestamp) -> String {
    format!("{} ago", format_duration(now.since(then).as_secs()))
}

/// A duration in at most two units, such as `2h 1m`.
#[must_use]
pub fn format_duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// The arguments in lines, one or more for each member: strings as text, anything else as JSON.
#[must_use]
pub fn argument_lines(json: &Json) -> Vec<String> {
    let members = json.members().unwrap_or_default();
    if members.is_empty() {
        return vec![compact_json(json)];
    }
    let mut lines = Vec::new();
    for (key, value) in &members {
        let key = escape_text(key);
        let Ok(text) = value.read::<String>() else {
            lines.push(format!("{key}: {}", compact_json(value)));
            continue;
        };
        // A final line break would print an empty line.
        let mut parts = text.strip_suffix('\n').unwrap_or(&text).split('\n').map(escape_tabbed_line);
        lines.push(format!("{key}: {}", parts.next().unwrap_or_default()));
        lines.extend(parts.map(|part| format!("{:width$}  {part}", "", width = key.chars().count())));
    }
    lines
}

/// JSON on one line, with every token unchanged. Line breaks occur only between tokens.
#[must_use]
pub fn compact_json(json: &Json) -> String {
    escape_text(&json.as_str().replace(['\n', '\r', '\t'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_text_hidden_characters_are_written_out() {
        assert_eq!(
            escape_text("rm \u{202e}txt.exe\u{200b}\x1b[8m"),
            "rm \\u{202e}txt.exe\\u{200b}\\u{001b}[8m"
        );
        assert_eq!(escape_text("Grüße, 世界 🧑"), "Grüße, 世界 🧑");
        assert_eq!(escape_lines("one\x1b[2J\ntwo\r"), "one\\u{001b}[2J\ntwo\\u{000d}");
    }

    #[test]
    fn tab_is_shown_as_space() {
        assert_eq!(escape_tabbed_line("all:\tmain.o"), "all:    main.o");
        assert_eq!(escape_tabbed_line("\tcc -c main.c\t\u{202e}"), "        cc -c main.c    \\u{202e}");
        assert_eq!(escape_tabbed_line("世界\t12345678\tx"), "世界    12345678        x");
        let json = Json::parse(r#"{"command":"printf 'a\tb\n\tc'"}"#).expect("valid");
        assert_eq!(argument_lines(&json), ["command: printf 'a       b", "                 c'"]);
    }

    #[test]
    fn argument_lines_keep_every_token() {
        let lines = |json: &str| argument_lines(&Json::parse(json).expect("valid"));
        assert_eq!(
            lines("{\"n\":1.50,\"command\":\"make\\n  deploy\\r\\n\",\"a\":{\"b\":\n[1e999]}}"),
            ["n: 1.50", "command: make", "           deploy\\u{000d}", "a: {\"b\": [1e999]}"]
        );
        assert_eq!(lines(r#"{"amount":9007199254740993000001}"#), ["amount: 9007199254740993000001"]);
        assert_eq!(lines("{}"), ["{}"]);
        assert_eq!(lines(r#"["a"]"#), [r#"["a"]"#]);
    }

    #[test]
    fn format_duration_uses_two_largest_units() {
        assert_eq!([5, 65, 7_260, 90_000].map(format_duration), ["5s", "1m 5s", "2h 1m", "1d 1h"]);
    }
}
