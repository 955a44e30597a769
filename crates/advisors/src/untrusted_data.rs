//! Marks a JSON document as untrusted data in a prompt. The document is one line, so no string in it can start a new
//! line. Its borders have a random mark that is made after the content was written, so no content can imitate them.
//! Hidden characters and angle brackets are written as JSON escapes, so that the model sees what a person would see and
//! no string forms a token of a chat template, such as `<|im_start|>`.

use crate::fault::AdviceFault;
use countersign_api::fill_random;
use countersign_events::{Json, look::is_hidden_character};
use std::fmt::Write;

/// How many bytes a mark has.
const MARK_BYTES: usize = 16;

/// A document between borders.
#[derive(Debug)]
pub(crate) struct UntrustedData {
    /// The random mark of the borders.
    pub(crate) mark: String,
    /// The first border, the document on one line, and the second border.
    pub(crate) text: String,
}

impl UntrustedData {
    /// Marks a document. Fails if the system has no randomness.
    pub(crate) fn new(json: &Json) -> Result<Self, AdviceFault> {
        let mut bytes = [0; MARK_BYTES];
        fill_random(&mut bytes).map_err(|_| AdviceFault::failed("the system has no randomness"))?;
        let mark = hex::encode(bytes);
        let document = escape_document(json.as_str());
        let text = format!("<data-{mark}>\n{document}\n</data-{mark}>");
        Ok(Self { mark, text })
    }
}

/// Escapes JSON without changing its value.
fn escape_document(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Outside of strings, JSON has line breaks and tabs only as white space. In strings they are escaped already.
            '\n' | '\r' | '\t' => escaped.push(' '),
            // JSON has these characters only in strings, where an escape has the same meaning.
            '<' | '>' | '\u{7f}' => push_escape(&mut escaped, c),
            _ if !c.is_ascii() && is_hidden_character(c) => push_escape(&mut escaped, c),
            _ => escaped.push(c),
        }
    }
    escaped
}

fn push_escape(escaped: &mut String, c: char) {
    let mut units = [0; 2];
    for unit in c.encode_utf16(&mut units) {
        // Writing to a string cannot fail.
        let _ = write!(escaped, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn escapes_keep_the_value() {
        let value =
            json!({"a<b>": "x\u{202e}y\u{e0041}\u{200b}\n\t<|im_start|>\u{7f} 日本 \\u003c \"", "n": 1});
        let spaced = serde_json::to_string_pretty(&value).expect("JSON");
        let escaped = escape_document(&spaced);
        assert_eq!(serde_json::from_str::<Value>(&escaped).expect("JSON"), value);
        assert!(
            !escaped.contains(['<', '>', '\n', '\u{202e}', '\u{e0041}', '\u{200b}', '\u{7f}']),
            "{escaped}"
        );
        assert!(escaped.contains("\\udb40\\udc41") && escaped.contains("日本"), "{escaped}");
    }

    #[test]
    fn borders_differ_each_time() {
        let json = Json::string("x");
        let (first, second) =
            (UntrustedData::new(&json).expect("data"), UntrustedData::new(&json).expect("data"));
        assert_ne!(first.mark, second.mark);
        assert_eq!(first.text.lines().count(), 3);
    }
}
