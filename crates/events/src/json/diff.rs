//! What differs between two JSON texts: what an approver changed, place by place.

use super::Json;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How deep it looks: what differs further in is one change of what it lies in. Each level reads its text anew.
const DEEPEST: usize = 32;

/// One place at which an approver changed the arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"path": "/command", "from": "rm -rf /", "to": "rm -rf ./target"}))))]
#[serde(rename_all = "camelCase")]
pub struct ArgumentChange {
    /// Where: a JSON pointer (RFC 6901).
    pub path: String,
    /// What was proposed; absent if there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub from: Option<Json>,
    /// What runs instead; absent if it was taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub to: Option<Json>,
}

/// The places at which `after` differs from `before`, in the order of `before` and then of what is new. Objects
/// are compared key by key, arrays place by place, everything else by its canonical form. Texts that are no
/// JSON give one change of the whole.
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
        if path.len() < DEEPEST
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
    let of = |parts: &'_ DiffParts| -> HashMap<String, Json> { parts.iter().cloned().collect() };
    let (before, after) = (of(old), of(new));
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

/// The members of an object, or the elements of an array; `None` of anything else.
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

/// The hash of the canonical form tells a string from a number, and an object from an array.
fn is_same(before: &Json, after: &Json) -> bool {
    matches!((before.admit(), after.admit()), (Ok(before), Ok(after)) if before == after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: &str, after: &str) -> Vec<String> {
        let json = |text: &str| Json::parse(text).expect("valid");
        let text =
            |json: &Option<Json>| json.as_ref().map_or("-".to_owned(), |json| json.as_str().to_owned());
        let told = |change: &ArgumentChange| {
            format!("{}: {} > {}", change.path, text(&change.from), text(&change.to))
        };
        diff(&json(before), &json(after)).iter().map(told).collect()
    }

    #[test]
    fn tells_each_place() {
        assert_eq!(told("{\"a\":1}", "{ \"a\" : 1.0 }"), [""; 0]);
        assert_eq!(
            told("{\"a\":1,\"b\":[1,2],\"c/d\":{}}", "{\"b\":[1,3,4],\"c/d\":{\"e\":null},\"a\":\"1\"}"),
            ["/a: 1 > \"1\"", "/b/1: 2 > 3", "/b/2: - > 4", "/c~1d/e: - > null"]
        );
        assert_eq!(told("{\"a\":{}}", "{\"a\":[]}"), ["/a: {} > []"]);
        assert_eq!(told("{\"a\":1}", "{}"), ["/a: 1 > -"]);
    }

    #[test]
    fn what_lies_too_deep_is_told_as_a_whole() {
        let nested = |inner: &str| format!("{}{inner}{}", "[".repeat(40), "]".repeat(40));
        let told = told(&nested("1"), &nested("2"));
        assert_eq!(told, [format!("{}: {} > {}", "/0".repeat(32), "[[[[[[[[1]]]]]]]]", "[[[[[[[[2]]]]]]]]")]);
    }

    #[test]
    fn a_long_list_is_compared_place_by_place() {
        let list = |first: usize| format!("{:?}", (first..first + 20_000).collect::<Vec<_>>());
        assert_eq!(told(&list(0), &list(1)).len(), 20_000);
    }
}
