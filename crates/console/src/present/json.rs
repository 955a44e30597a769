//! Formatting JSON for people: strings as plain text, the rest indented, every token unchanged.

use super::text::{escape_tabbed_line, escape_text, split_lines};
use countersign_events::Json;

/// JSON of at most this many characters stays on one line.
const MAX_LINE: usize = 60;

/// A value in lines. A string is printed without quotes, unless its text would read as another JSON value.
#[must_use]
pub fn json_lines(json: &Json) -> Vec<String> {
    match json.read::<String>() {
        Ok(text) if Json::parse(&text).is_ok() || text.is_empty() => vec![escape_text(json.as_str())],
        Ok(text) => split_lines(&text).map(escape_tabbed_line).collect(),
        Err(_) => indent_if_long(json.as_str()),
    }
}

/// The JSON with one line for each member. Only the space between tokens changes, so people read what runs:
/// `1.50` stays `1.50`.
fn indent_if_long(json: &str) -> Vec<String> {
    let compact = IndentTokens(json).fold(String::new(), |mut text, token| {
        text.push_str(token);
        if matches!(token, "," | ":") {
            text.push(' ');
        }
        text
    });
    if compact.chars().count() <= MAX_LINE {
        return vec![escape_text(&compact)];
    }
    indent(json).iter().map(|line| escape_text(line)).collect()
}

/// The JSON for an editor: one line for each member, nothing escaped.
#[must_use]
pub(crate) fn format_for_editor(json: &Json) -> String {
    indent(json.as_str()).join("\n")
}

fn indent(json: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut depth = 0_usize;
    let mut before = "";
    for token in IndentTokens(json) {
        let closes = matches!(token, "}" | "]");
        if closes {
            depth = depth.saturating_sub(1);
        }
        let opened = matches!(before, "{" | "[");
        if before == "," || (opened && !closes) || (closes && !opened) {
            lines.push("  ".repeat(depth));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(token);
            if token == ":" {
                line.push(' ');
            }
        }
        if matches!(token, "{" | "[") {
            depth += 1;
        }
        before = token;
    }
    lines
}

/// The tokens of valid JSON.
struct IndentTokens<'a>(&'a str);

impl<'a> Iterator for IndentTokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0 = self.0.trim_start();
        let first = self.0.chars().next()?;
        let length = match first {
            '"' => string_length(self.0),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => self.0.find([',', ':', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(self.0.len()),
        };
        let (token, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(token)
    }
}

/// The length of the string with which the text starts, with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> Vec<String> {
        json_lines(&Json::parse(json).expect("valid"))
    }

    #[test]
    fn json_lines_string_is_text_unless_ambiguous() {
        assert_eq!(shown(r#""set -e\nmake\t\n""#), ["set -e", "make    ", ""]);
        assert_eq!(shown(r#""12""#), [r#""12""#]);
        assert_eq!(shown("12"), ["12"]);
        assert_eq!(shown(r#""""#), [r#""""#]);
        assert_eq!(shown("9007199254740993000001"), ["9007199254740993000001"]);
    }

    #[test]
    fn json_lines_long_value_is_indented() {
        assert_eq!(shown("[ 1.50 ,{}, []]"), ["[1.50, {}, []]"]);
        let long = r#"{"to":"ada, \"the boss\" {","lines":[{"text":"one\u202e","n":1.50},{}],"note":"something longer here"}"#;
        insta::assert_snapshot!(shown(long).join("\n"), @r#"
        {
          "to": "ada, \"the boss\" {",
          "lines": [
            {
              "text": "one\u202e",
              "n": 1.50
            },
            {}
          ],
          "note": "something longer here"
        }
        "#);
    }
}
