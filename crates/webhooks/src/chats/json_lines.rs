//! JSON on several lines for people. It is valid JSON with the same content: members in their order, numbers with all digits, and
//! hidden characters as `\u` escapes.

use countersign_events::{Json, json::JsonTree, look::is_hidden_character};
use serde_json::Value;
use std::fmt::Write as _;

/// Writes JSON on several lines; `None` if it nests too deeply.
pub(crate) fn write_lines(json: &Json) -> Option<String> {
    let mut text = String::new();
    write_value(&mut text, &JsonTree::parse(json)?, 0);
    Some(text)
}

/// The same JSON without a run of three backticks, which would end a code block. The escape means the same.
pub(crate) fn without_fences(json: &str) -> String {
    json.replace("```", "``\\u0060")
}

fn write_value(text: &mut String, value: &JsonTree, depth: usize) {
    match value {
        JsonTree::Null => text.push_str("null"),
        JsonTree::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        JsonTree::Number(digits) => text.push_str(digits),
        JsonTree::Text(string) => write_string(text, string),
        JsonTree::List(items) if items.is_empty() => text.push_str("[]"),
        JsonTree::Object(members) if members.is_empty() => text.push_str("{}"),
        JsonTree::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                begin_line(text, index, depth + 1);
                write_value(text, item, depth + 1);
            }
            end_lines(text, depth, ']');
        }
        JsonTree::Object(members) => {
            text.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                begin_line(text, index, depth + 1);
                write_string(text, name);
                text.push_str(": ");
                write_value(text, value, depth + 1);
            }
            end_lines(text, depth, '}');
        }
    }
}

fn begin_line(text: &mut String, index: usize, depth: usize) {
    text.push_str(if index == 0 { "\n" } else { ",\n" });
    indent(text, depth);
}

fn end_lines(text: &mut String, depth: usize, end: char) {
    text.push('\n');
    indent(text, depth);
    text.push(end);
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}

fn write_string(text: &mut String, string: &str) {
    for c in Value::from(string).to_string().chars() {
        if is_hidden_character(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> String {
        write_lines(&Json::stored(text.to_owned()).expect("JSON")).expect("shallow")
    }

    #[test]
    fn lines_have_the_same_content() {
        let shown = lines(r#"{"b":12345678901234567890.10,"a":[],"c":[1,{"d":"x\ny"}],"e":{},"f":null}"#);
        let expected = "{\n  \"b\": 12345678901234567890.10,\n  \"a\": [],\n  \"c\": [\n    1,\n    {\n      \"d\": \"x\\ny\"\n    }\n  ],\n  \"e\": {},\n  \"f\": null\n}";
        assert_eq!(shown, expected);
    }

    #[test]
    fn hidden_characters_and_fences_are_escaped() {
        let shown = lines("\"a\u{202e}b\u{e0041}c````\"");
        assert_eq!(shown, "\"a\\u202eb\\udb40\\udc41c````\"");
        let plain = without_fences(&shown);
        assert!(!plain.contains("```"), "{plain}");
        assert_eq!(serde_json::from_str::<String>(&plain).ok(), serde_json::from_str(&shown).ok());
    }
}
