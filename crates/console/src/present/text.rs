//! Escaping text for a terminal, and formatting durations and arguments.

use countersign_events::{Json, Timestamp, look::is_hidden_character};
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

/// The lines of a string. CR LF ends a line as LF does; any other CR is part of its line.
pub fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut lines = text.split('\n').peekable();
    std::iter::from_fn(move || {
        let line = lines.next()?;
        Some(if lines.peek().is_some() { line.strip_suffix('\r').unwrap_or(line) } else { line })
    })
}

/// Escapes multi-line text and keeps its line breaks, so that text from a server or an agent cannot
/// control the terminal.
#[must_use]
pub fn escape_lines(text: &str) -> String {
    split_lines(text).map(escape_text).collect::<Vec<_>>().join("\n")
}

/// The distance of tab stops.
const TAB_STOP: usize = 8;

/// Like [`escape_text`], for one line of text with usual tabs: a tab is shown as the space up to the next tab stop.
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

/// How long ago a moment was, such as `5m 2s ago`.
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
pub(crate) fn argument_lines(json: &Json) -> Vec<String> {
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
        let whole = text.strip_suffix("\r\n").or(text.strip_suffix('\n')).unwrap_or(&text);
        let mut parts = split_lines(whole).map(escape_tabbed_line);
        lines.push(format!("{key}: {}", parts.next().unwrap_or_default()));
        lines.extend(parts.map(|part| format!("{:width$}  {part}", "", width = key.chars().count())));
    }
    lines
}

/// The length from which a value is folded, in characters, and in lines.
const FOLDED_CHARACTERS: usize = 4_000;
const FOLDED_LINES: usize = 60;
/// How many characters of a line a folded value shows.
const FOLDED_LINE: usize = 200;

/// The argument lines, each value folded if it is long: its beginning, how much is left out, and its end. `remedy` says
/// how to read it in full.
#[must_use]
pub(crate) fn folded_argument_lines(json: &Json, remedy: &str) -> Vec<String> {
    let members = json.members().unwrap_or_default();
    if members.is_empty() {
        return fold_lines(argument_lines(json), json.as_str().len(), remedy);
    }
    let fold = |(key, value): &(String, Json)| {
        let lines = argument_lines(&single_member(key, value));
        fold_lines(lines, value.as_str().len(), remedy)
    };
    members.iter().flat_map(fold).collect()
}

fn single_member(key: &str, value: &Json) -> Json {
    let text = format!("{{{}:{}}}", Json::string(key).as_str(), value.as_str());
    Json::stored(text).unwrap_or_else(|_| value.clone())
}

fn fold_lines(lines: Vec<String>, bytes: usize, remedy: &str) -> Vec<String> {
    let characters: usize = lines.iter().map(|line| line.chars().count()).sum();
    if characters <= FOLDED_CHARACTERS && lines.len() <= FOLDED_LINES {
        return lines;
    }
    let shorten = |line: &String| match line.char_indices().nth(FOLDED_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.clone(),
    };
    let (start, rest) = lines.split_at(lines.len().min(8));
    let end = &rest[rest.len().saturating_sub(2)..];
    let note = format!("[folded: {bytes} bytes in {} lines; {remedy} shows all]", lines.len());
    start.iter().map(shorten).chain([note]).chain(end.iter().map(shorten)).collect()
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
    fn long_value_is_folded_with_its_size() {
        let long = "x".repeat(1_500_000);
        let json =
            Json::parse(&format!(r#"{{"file_path":"/a","content":"{long}","force":true}}"#)).expect("valid");
        let lines = folded_argument_lines(&json, "`show --full`");
        assert_eq!((lines.len(), lines[0].as_str(), lines[3].as_str()), (4, "file_path: /a", "force: true"));
        assert!(lines[1].ends_with("xxx…") && lines[1].chars().count() == 201, "{}", lines[1]);
        assert_eq!(lines[2], "[folded: 1500002 bytes in 1 lines; `show --full` shows all]");
        let many = Json::parse(&format!(r#"{{"content":"{}"}}"#, "a\\n".repeat(99) + "end")).expect("valid");
        let lines = folded_argument_lines(&many, "it");
        assert_eq!((lines.len(), lines[10].trim()), (11, "end"));
        let short = Json::parse(r#"{"a":"b\nc"}"#).expect("valid");
        assert_eq!(folded_argument_lines(&short, "it"), argument_lines(&short));
    }

    #[test]
    fn argument_lines_keep_every_token() {
        let lines = |json: &str| argument_lines(&Json::parse(json).expect("valid"));
        assert_eq!(
            lines("{\"n\":1.50,\"command\":\"make\\n  deploy\\r\\n\",\"a\":{\"b\":\n[1e999]}}"),
            ["n: 1.50", "command: make", "           deploy", "a: {\"b\": [1e999]}"]
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
