//! Printing to stdout and stderr, and remembering the first failure.

use countersign_events::look::is_hidden_character;
use std::{
    fmt::{Display, Write as _},
    io::{self, IsTerminal, Write},
    sync::OnceLock,
};

/// The first reason why stdout could not be written.
static FIRST_FAILURE: OnceLock<io::Error> = OnceLock::new();

/// Prints a line to stdout. A failure is kept for [`first_print_failure`].
pub fn print_line(line: &str) {
    try_print_line(line);
}

/// Prints a line to stdout and returns whether that worked.
#[expect(clippy::must_use_candidate, reason = "the first failure is kept, so callers may ignore it")]
pub fn try_print_line(line: &str) -> bool {
    record_print_result(writeln!(io::stdout().lock(), "{line}"))
}

/// Prints a value as JSON on one line. On a terminal, characters that a terminal would obey or hide are escaped as JSON
/// escapes them, which does not change the value.
pub fn print_json(value: &impl serde::Serialize) -> serde_json::Result<()> {
    let line = format_json_line(value)?;
    if io::stdout().is_terminal() {
        print_line(&escape_in_json(&line));
    } else {
        print_line(&line);
    }
    Ok(())
}

/// Prints a JSON object with one list, item by item, on one line. Only one item is in memory as text.
pub struct JsonListPrinter {
    has_items: bool,
}

impl JsonListPrinter {
    /// Prints the object up to its list.
    #[must_use]
    pub fn begin(name: &str) -> Self {
        print_part(&format!("{{\"{name}\":["));
        Self { has_items: false }
    }

    /// Prints a list item.
    pub fn print_item(&mut self, item: &impl serde::Serialize) -> serde_json::Result<()> {
        let text = format_json_line(item)?;
        if std::mem::replace(&mut self.has_items, true) {
            print_part(",");
        }
        print_part(&if io::stdout().is_terminal() { escape_in_json(&text) } else { text });
        Ok(())
    }

    /// Prints the members after the list, and closes the object.
    pub fn end(self, members: &str) {
        print_line(&format!("],{members}}}"));
    }
}

fn print_part(text: &str) {
    record_print_result(write!(io::stdout().lock(), "{text}"));
}

/// Escapes hidden characters in JSON. Outside of strings, JSON has only ASCII.
fn escape_in_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden_character(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Keeps the first failure to print, and returns whether this one worked.
#[expect(clippy::must_use_candidate, reason = "the first failure is kept, so callers may ignore it")]
pub fn record_print_result(printed: io::Result<()>) -> bool {
    printed.map_err(|error| FIRST_FAILURE.set(error)).is_ok()
}

/// The first failure to print. A closed pipe (`| head`) is not a failure.
pub fn first_print_failure() -> Option<&'static io::Error> {
    record_print_result(io::stdout().lock().flush());
    FIRST_FAILURE.get().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

/// Prints a line to stderr.
pub fn print_error(line: &(impl Display + ?Sized)) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Prints text to stderr without a line break.
pub fn print_error_part(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = write!(stderr, "{text}").and_then(|()| stderr.flush());
}

/// Prints a question to stdout without a line break.
pub fn print_prompt(text: &str) {
    let mut stdout = io::stdout().lock();
    record_print_result(write!(stdout, "{text}").and_then(|()| stdout.flush()));
}

/// The value as JSON on one line. Proposed arguments keep their line breaks in the log. They occur only between
/// tokens, where a space means the same.
pub fn format_json_line(value: &impl serde::Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(value)?.replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_has_the_same_value() {
        let value = serde_json::json!({"a\u{202e}": ["b\u{200b}c", "\u{e0041}", "d\u{9b}é\n"]});
        let escaped = escape_in_json(&value.to_string());
        assert!(!escaped.chars().any(is_hidden_character), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).expect("JSON"), value);
    }
}
