//! What people read: text that shows everything for what it is.

use countersign_gate::{Json, Timestamp};
use std::{fmt::Write as _, io, sync::OnceLock};

/// Why the first thing that could not be printed was not: what is said next has no place to go either.
static UNSAID: OnceLock<io::Error> = OnceLock::new();

/// Prints a line to stdout. A reader that has gone (`| head`) is no error; whatever else is in the way is
/// told in the end.
pub(crate) fn say(line: &str) {
    try_say(line);
}

/// Prints a line to stdout, and tells whether anybody is there to read it.
pub(crate) fn try_say(line: &str) -> bool {
    use std::io::Write as _;
    note_unsaid(writeln!(io::stdout().lock(), "{line}"))
}

/// Keeps why nothing could be printed, if that is so.
pub(crate) fn note_unsaid(printed: io::Result<()>) -> bool {
    printed.map_err(|why| UNSAID.set(why)).is_ok()
}

/// Why not all was printed, if somebody still wanted to read it.
pub(crate) fn unsaid() -> Option<&'static io::Error> {
    use std::io::Write as _;
    note_unsaid(io::stdout().lock().flush());
    UNSAID.get().filter(|why| why.kind() != io::ErrorKind::BrokenPipe)
}

/// Prints a line to stderr.
pub(crate) fn complain(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Prints to stderr and stays on the line.
pub(crate) fn note(text: &str) {
    use std::io::Write as _;
    let mut stderr = std::io::stderr().lock();
    let _ = write!(stderr, "{text}").and_then(|()| stderr.flush());
}

/// Asks on stdout, and stays on the line for the answer.
pub(crate) fn ask(text: &str) {
    use std::io::Write as _;
    let mut stdout = std::io::stdout().lock();
    note_unsaid(write!(stdout, "{text}").and_then(|()| stdout.flush()));
}

/// The text with everything that a terminal would not show as itself written out: control characters,
/// marks that turn the direction of writing, spaces of no width.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            let _ = write!(shown, "\\u{{{:04x}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A text of several lines with everything else that a terminal would obey written out: what a server or an
/// agent put into an error is shown, and does nothing.
pub(crate) fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// How long ago that was.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    format!("{} ago", span(now.since(then).as_secs()))
}

pub(crate) fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// The arguments, whole: a shell command as a command, anything else as JSON.
pub(crate) fn arguments(json: &Json) -> Vec<String> {
    let members = json.members().unwrap_or_default();
    if members.is_empty() {
        return vec![one_line(json)];
    }
    let mut lines = Vec::new();
    for (key, value) in &members {
        let key = visible(key);
        let Ok(text) = value.read::<String>() else {
            lines.push(format!("{key}: {}", one_line(value)));
            continue;
        };
        // A line break at the very end would show as an empty line.
        let mut parts = text.strip_suffix('\n').unwrap_or(&text).split('\n').map(visible);
        lines.push(format!("{key}: {}", parts.next().unwrap_or_default()));
        lines.extend(parts.map(|part| format!("{:width$}  {part}", "", width = key.chars().count())));
    }
    lines
}

/// JSON as it was given. Line breaks stand only between its tokens, where a space means the same.
pub(crate) fn one_line(json: &Json) -> String {
    visible(&json.as_str().replace(['\n', '\r', '\t'], " "))
}

/// As JSON on one line. What an agent proposed keeps its line breaks in the log; they stand only between its
/// tokens, where a space means the same.
pub(crate) fn json_line(value: &impl serde::Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(value)?.replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_hides() {
        assert_eq!(visible("rm \u{202e}txt.exe\u{200b}\x1b[8m"), "rm \\u{202e}txt.exe\\u{200b}\\u{001b}[8m");
        assert_eq!(visible("Grüße, 世界 🧑"), "Grüße, 世界 🧑");
        assert_eq!(visible_lines("one\x1b[2J\ntwo\r"), "one\\u{001b}[2J\ntwo\\u{000d}");
    }

    #[test]
    fn shows_arguments_whole() {
        let lines = |json: &str| arguments(&Json::parse(json).expect("valid"));
        assert_eq!(
            lines("{\"n\":1.50,\"command\":\"make\\n  deploy\\r\\n\",\"a\":{\"b\":\n[1e999]}}"),
            ["n: 1.50", "command: make", "           deploy\\u{000d}", "a: {\"b\": [1e999]}"]
        );
        assert_eq!(lines(r#"{"amount":9007199254740993000001}"#), ["amount: 9007199254740993000001"]);
        assert_eq!(lines("{}"), ["{}"]);
        assert_eq!(lines(r#"["a"]"#), [r#"["a"]"#]);
    }

    #[test]
    fn says_spans_as_people_do() {
        assert_eq!([span(5), span(65), span(7_260), span(90_000)], ["5s", "1m 5s", "2h 1m", "1d 1h"]);
    }
}
