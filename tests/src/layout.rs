//! JSON formatted for snapshots, with its original order and digits.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::fmt;

/// The maximum width of a line, in characters: indentation, key and value.
const WIDTH: usize = 100;

/// Formats JSON for a snapshot. An object or array that is too long for one line gets one line per member or
/// element. Text that is not JSON is returned unchanged.
#[must_use]
pub fn lay_out(json: &str) -> String {
    let mut output = String::new();
    write(json.trim(), 0, 0, &mut output);
    output
}

fn write(json: &str, depth: usize, column: usize, output: &mut String) {
    if column + json.chars().count() <= WIDTH {
        output.push_str(json);
    } else if let Ok(LayoutMembers(members)) = serde_json::from_str(json) {
        let parts = members.iter().map(|(key, value)| (format!("{key:?}: "), value.get())).collect();
        write_all(['{', '}'], parts, depth, output);
    } else if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(json) {
        let parts = elements.iter().map(|value| (String::new(), value.get())).collect();
        write_all(['[', ']'], parts, depth, output);
    } else {
        output.push_str(json);
    }
}

fn write_all([open, close]: [char; 2], parts: Vec<(String, &str)>, depth: usize, output: &mut String) {
    output.push(open);
    let last = parts.len();
    for (index, (key, value)) in parts.into_iter().enumerate() {
        let indent = "  ".repeat(depth + 1);
        output.extend(["\n", &indent, &key]);
        write(value, depth + 1, indent.len() + key.len(), output);
        if index + 1 < last {
            output.push(',');
        }
    }
    output.extend(["\n", &"  ".repeat(depth)]);
    output.push(close);
}

/// An object's members in their original order.
struct LayoutMembers<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for LayoutMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LayoutCollector;
        impl<'de> Visitor<'de> for LayoutCollector {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(LayoutCollector).map(LayoutMembers)
    }
}

#[cfg(test)]
mod tests {
    use super::lay_out;

    #[test]
    fn keeps_order_and_digits() {
        assert_eq!(lay_out(r#"{"b":1.50,"a":[]}"#), r#"{"b":1.50,"a":[]}"#);
        let long = format!(r#"{{"b":1.50,"a":["{}"]}}"#, "x".repeat(100));
        assert_eq!(
            lay_out(&long),
            format!("{{\n  \"b\": 1.50,\n  \"a\": [\n    \"{}\"\n  ]\n}}", "x".repeat(100))
        );
        assert_eq!(lay_out("no JSON"), "no JSON");
    }
}
