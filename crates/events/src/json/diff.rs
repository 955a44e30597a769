//! The differences between two JSON values: the changes that an approver made to the arguments.

use super::Json;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The comparison's depth. A difference below it is reported as one change of the enclosing value. The limit bounds the
/// cost, because each level parses its text again.
const MAX_DIFF_DEPTH: usize = 32;

/// One value in the arguments that an approver changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"path": "/command", "from": "rm -rf /", "to": "rm -rf ./target"}))))]
#[serde(rename_all = "camelCase")]
pub struct ArgumentChange {
    /// The JSON pointer to the value (RFC 6901).
    pub path: String,
    /// The proposed value; absent if the approver added the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub from: Option<Json>,
    /// The new value; absent if the approver removed the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub to: Option<Json>,
}

/// Lists the values in which `after` differs from `before`: first in the order of `before`, then the added ones.
/// Objects are compared key by key, arrays index by index, and other values by their canonical form. Input that is not
/// JSON gives one change of the whole value.
#[must_use]
pub fn diff(before: &Json, after: &Json) -> Vec<ArgumentChange> {
    let mut changes = Vec::new();
    compare(&mut Vec::new(), Some(before), Some(after), &mut changes);
    changes
}

fn compare(
    path: &mut Vec<String>,
    before: Option<&Json>,
    after: Option<&Json>,
    changes: &mut Vec<ArgumentChange>,
) {
    if before == after {
        return;
    }
    if let (Some(before), Some(after)) = (before, after) {
        if path.len() < MAX_DIFF_DEPTH
            && is_object(before) == is_object(after)
            && let (Some(old), Some(new)) = (parts(before), parts(after))
        {
            return compare_parts(path, &old, &new, changes);
        }
        if is_same(before, after) {
            return;
        }
    }
    // RFC 6901.
    let path = path.iter().flat_map(|step| ["/".to_owned(), step.replace('~', "~0").replace('/', "~1")]);
    let path = path.collect();
    changes.push(ArgumentChange { path, from: before.cloned(), to: after.cloned() });
}

type DiffParts = Vec<(String, Json)>;

fn compare_parts(
    path: &mut Vec<String>,
    old: &DiffParts,
    new: &DiffParts,
    changes: &mut Vec<ArgumentChange>,
) {
    let index = |parts: &'_ DiffParts| -> HashMap<String, Json> { parts.iter().cloned().collect() };
    let (before, after) = (index(old), index(new));
    let added = new.iter().filter(|(key, _)| !before.contains_key(key));
    for (key, _) in old.iter().chain(added) {
        path.push(key.clone());
        compare(path, before.get(key), after.get(key), changes);
        path.pop();
    }
}

fn is_object(json: &Json) -> bool {
    json.as_str().trim_start().starts_with('{')
}

/// Object members or array elements; `None` for any other value.
fn parts(json: &Json) -> Option<DiffParts> {
    match json.as_str().trim_start().as_bytes().first()? {
        b'{' => json.members(),
        b'[' => {
            let elements: Vec<Json> = json.read().ok()?;
            Some(elements.into_iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect())
        }
        _ => None,
    }
}

/// Returns true if both values have the same canonical form.
fn is_same(before: &Json, after: &Json) -> bool {
    matches!((before.canonical_hash(), after.canonical_hash()), (Ok(before), Ok(after)) if before == after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe_changes(before: &str, after: &str) -> Vec<String> {
        let json = |text: &str| Json::parse(text).expect("valid");
        let text =
            |json: &Option<Json>| json.as_ref().map_or("-".to_owned(), |json| json.as_str().to_owned());
        let describe = |change: &ArgumentChange| {
            format!("{}: {} > {}", change.path, text(&change.from), text(&change.to))
        };
        diff(&json(before), &json(after)).iter().map(describe).collect()
    }

    #[test]
    fn diff_reports_each_changed_value() {
        assert_eq!(describe_changes("{\"a\":1}", "{ \"a\" : 1.0 }"), [""; 0]);
        assert_eq!(
            describe_changes(
                "{\"a\":1,\"b\":[1,2],\"c/d\":{}}",
                "{\"b\":[1,3,4],\"c/d\":{\"e\":null},\"a\":\"1\"}"
            ),
            ["/a: 1 > \"1\"", "/b/1: 2 > 3", "/b/2: - > 4", "/c~1d/e: - > null"]
        );
        assert_eq!(describe_changes("{\"a\":{}}", "{\"a\":[]}"), ["/a: {} > []"]);
        assert_eq!(describe_changes("{\"a\":1}", "{}"), ["/a: 1 > -"]);
    }

    #[test]
    fn diff_below_max_depth_reports_enclosing_value() {
        let nested = |inner: &str| format!("{}{inner}{}", "[".repeat(40), "]".repeat(40));
        let changes = describe_changes(&nested("1"), &nested("2"));
        assert_eq!(
            changes,
            [format!("{}: {} > {}", "/0".repeat(32), "[[[[[[[[1]]]]]]]]", "[[[[[[[[2]]]]]]]]")]
        );
    }

    #[test]
    fn diff_of_long_array_compares_each_index() {
        let list = |first: usize| format!("{:?}", (first..first + 20_000).collect::<Vec<_>>());
        assert_eq!(describe_changes(&list(0), &list(1)).len(), 20_000);
    }
}
