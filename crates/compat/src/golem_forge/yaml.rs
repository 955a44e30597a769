//! Configuration in YAML or JSON, as a tree of JSON values. JSON is YAML 1.2.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// The deepest nesting.
const MAX_DEPTH: usize = 32;

/// A list or a mapping that is being read.
enum OpenNode {
    List(Vec<Value>),
    /// The entries, and the key whose value comes next.
    Mapping(Map<String, Value>, Option<String>),
}

/// Reads one document. Anchors and aliases are refused, so a short text cannot stand for a long one; so are keys that are given
/// twice, because two programs may read them differently.
pub(super) fn read_yaml(text: &str) -> Result<Value, String> {
    let mut open = Vec::new();
    let mut document = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|why| format!("is not YAML: {why}"))?;
        let at = |why: &str| format!("{why} at line {}", span.start.line());
        let value = match event {
            Event::Alias(_) => return Err(at("has an alias, which is not supported")),
            Event::DocumentStart(_) if document.is_some() => {
                return Err(at("has a second document, and only one is read"));
            }
            Event::SequenceStart(..) => {
                open.push(OpenNode::List(Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(OpenNode::Mapping(Map::new(), None));
                None
            }
            Event::Scalar(text, style, ..) => Some(read_scalar(&text, style)),
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(OpenNode::List(list)) => Some(Value::Array(list)),
                Some(OpenNode::Mapping(entries, _)) => Some(Value::Object(entries)),
                None => None,
            },
            _ => None,
        };
        if open.len() > MAX_DEPTH {
            return Err(at("is nested too deeply"));
        }
        let Some(value) = value else { continue };
        match open.last_mut() {
            None => document = Some(value),
            Some(parent) => add_value(parent, value).map_err(|why| at(&why))?,
        }
    }
    document.ok_or_else(|| "is empty".to_owned())
}

fn add_value(parent: &mut OpenNode, value: Value) -> Result<(), String> {
    match parent {
        OpenNode::List(list) => list.push(value),
        OpenNode::Mapping(entries, key) => match (key.take(), value) {
            (Some(key), value) => {
                entries.insert(key, value);
            }
            (None, Value::String(name)) if entries.contains_key(&name) => {
                return Err(format!("has the key {name:?} twice"));
            }
            (None, Value::String(name)) => *key = Some(name),
            (None, _) => return Err("has a key that is not a string".to_owned()),
        },
    }
    Ok(())
}

/// A scalar value. Numbers stay strings, because no setting is one.
fn read_scalar(text: &str, style: ScalarStyle) -> Value {
    match (style, text) {
        (ScalarStyle::Plain, "true" | "True" | "TRUE") => Value::Bool(true),
        (ScalarStyle::Plain, "false" | "False" | "FALSE") => Value::Bool(false),
        (ScalarStyle::Plain, "" | "~" | "null" | "Null" | "NULL") => Value::Null,
        _ => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn yaml_and_json_are_read() {
        let yaml = "# zones\nsandbox:\n  zones:\n    - name: scratch\n      mode: rw\n      on: 'true'\nfree: yes\nnone:\n";
        let read = json!({"sandbox": {"zones": [{"name": "scratch", "mode": "rw", "on": "true"}]}, "free": "yes", "none": null});
        assert_eq!(read_yaml(yaml), Ok(read));
        assert_eq!(read_yaml("{\"a\":\t[true, \"x\"]}"), Ok(json!({"a": [true, "x"]})));
    }

    #[test]
    fn hostile_yaml_is_refused() {
        let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
        let deeper = "[".repeat(100_000);
        let laughs = "a: &a [x, x]\nb: [*a, *a]";
        for (text, why) in [
            (deep.as_str(), "nested too deeply"),
            (deeper.as_str(), "is not YAML"),
            (laughs, "an alias"),
            ("a: 1\na: 2", "twice"),
            ("a: 1\n---\nb: 2", "a second document"),
            ("[a]: 1", "a key that is not a string"),
            ("a: [1", "is not YAML"),
            ("", "is empty"),
        ] {
            let refused = read_yaml(text).expect_err(why);
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn damaged_yaml_never_panics() {
        let text =
            "# zones\nsandbox: {zones: [{name: \"a\\u00e9\", mode: rw}]}\nlist:\n  - 'x'\n  - |\n    y\n";
        let texts = text.char_indices().flat_map(|(at, c)| {
            let rest = &text[at + c.len_utf8()..];
            let replaced =
                "[]{}:&*'\"\n\t-!%@\\\u{0}".chars().map(move |new| format!("{}{new}{rest}", &text[..at]));
            replaced.chain([text[..at].to_owned()])
        });
        let read = texts.filter(|damaged| read_yaml(damaged).is_ok()).count();
        assert!(read > 0, "some damage does no harm");
    }
}
