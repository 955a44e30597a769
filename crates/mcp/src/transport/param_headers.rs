//! Headers that repeat parts of a request, from 2026-07-28 on: `Mcp-Method`, `Mcp-Name`, and `Mcp-Param-*` for
//! arguments that a tool schema marks with `x-mcp-header`.

use crate::hub::HubFrame;
use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::collections::HashMap;

/// The most marked arguments of a tool, and the deepest of them.
const MAX_MARKED: usize = 64;
const MAX_DEPTH: usize = 16;
/// The most tools with marked arguments.
const MAX_TOOLS: usize = 10_000;

/// The requests with the header `Mcp-Name`.
const NAMED_METHODS: &[&str] = &["tools/call", "resources/read", "prompts/get"];

/// A marked argument: the header, and the path to its value.
type MarkedArgument = (HeaderName, Vec<String>);

/// The marked arguments of the tools that a server has listed.
#[derive(Debug, Default)]
pub(crate) struct MarkedArguments(HashMap<String, Vec<MarkedArgument>>);

impl MarkedArguments {
    /// Remembers the tools in a `tools/list` answer.
    pub(crate) fn learn(&mut self, answer: &str) {
        if !answer.contains("inputSchema") {
            return;
        }
        let Ok(answer) = serde_json::from_str::<Value>(answer) else { return };
        let tools = answer.pointer("/result/tools").and_then(Value::as_array);
        for tool in tools.into_iter().flatten() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let mut marked = Vec::new();
            if let Some(schema) = tool.get("inputSchema") {
                find_marked(schema, &mut Vec::new(), &mut marked);
            }
            if marked.is_empty() {
                self.0.remove(name);
            } else if self.0.len() < MAX_TOOLS {
                self.0.insert(name.to_owned(), marked);
            }
        }
    }

    /// The headers that repeat parts of a request.
    pub(crate) fn headers(&self, frame: &HubFrame<'_>, version: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut insert = |name: &HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(&encode_value(value)) {
                headers.insert(name.clone(), value);
            }
        };
        let method = frame.method.as_deref().unwrap_or_default();
        insert(&HeaderName::from_static("mcp-protocol-version"), version);
        insert(&HeaderName::from_static("mcp-method"), method);
        let name = frame.text_param("name");
        if NAMED_METHODS.contains(&method)
            && let Some(name) = name.clone().or_else(|| frame.text_param("uri"))
        {
            insert(&HeaderName::from_static("mcp-name"), &name);
        }
        let marked = name.filter(|_| method == "tools/call").and_then(|name| self.0.get(&name));
        let arguments = marked.and_then(|_| serde_json::from_str::<Value>(frame.param("arguments")?).ok());
        for (header, path) in marked.into_iter().flatten() {
            let value = arguments.as_ref().and_then(|arguments| {
                path.iter().try_fold(arguments, |value, key| value.get(key)).and_then(plain_text)
            });
            if let Some(value) = value {
                insert(header, &value);
            }
        }
        headers
    }
}

/// Finds the marks in a schema that are reachable through `properties` alone.
fn find_marked(schema: &Value, path: &mut Vec<String>, marked: &mut Vec<MarkedArgument>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (key, property) in properties {
        path.push(key.clone());
        let mark = property.get("x-mcp-header").and_then(Value::as_str);
        let header =
            mark.and_then(|mark| HeaderName::from_bytes(format!("mcp-param-{mark}").as_bytes()).ok());
        if let Some(header) = header.filter(|_| marked.len() < MAX_MARKED) {
            marked.push((header, path.clone()));
        }
        if path.len() < MAX_DEPTH {
            find_marked(property, path, marked);
        }
        path.pop();
    }
}

fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) => Some(value.to_string()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(value.to_string()),
        _ => None,
    }
}

/// The header value for any string: as it is, or in Base64 with a mark.
fn encode_value(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) && text.trim() == text;
    let is_marked = text.starts_with("=?base64?") && text.ends_with("?=");
    if is_plain && !is_marked {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
    }
}

/// The string in a header that [`encode_value`] made.
pub(crate) fn decode_value(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|value| value.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded_as_the_protocol_says() {
        for (text, expected) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(encode_value(text), expected);
            assert_eq!(decode_value(expected).as_deref(), Some(text));
        }
    }

    #[test]
    fn marked_arguments_become_headers() {
        let mut marked = MarkedArguments::default();
        marked.learn(
            r#"{"id":1,"result":{"tools":[{"name":"sql","inputSchema":{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"o":{"properties":{"n":{"x-mcp-header":"N"}}},"bad":{"x-mcp-header":"a b"}}}}]}}"#,
        );
        let text = r#"{"id":1,"method":"tools/call","params":{"name":"sql","arguments":{"region":"eu","o":{"n":7},"bad":1}}}"#;
        let headers = marked.headers(&HubFrame::read(text).expect("valid"), "2026-07-28");
        for (name, value) in [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "sql"),
            ("mcp-param-region", "eu"),
            ("mcp-param-n", "7"),
        ] {
            assert_eq!(headers[name], value);
        }
        assert_eq!(headers.len(), 5);
    }
}
