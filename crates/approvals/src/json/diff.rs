//! What differs between two JSON texts: what an approver changed, place by place.

use super::Json;
use crate::event::Change;
use std::collections::BTreeMap;

/// The places at which `after` differs from `before`, in the order of `before` and then of what is new. Objects
/// are compared key by key, arrays place by place, everything else by its canonical form. Texts that are no
/// JSON give one change of the whole.
#[must_use]
pub fn diff(before: &Json, after: &Json) -> Vec<Change> {
    let mut changes = Vec::new();
    compare("", Some(before), Some(after), &mut changes);
    changes
}

fn compare(path: &str, before: Option<&Json>, after: Option<&Json>, changes: &mut Vec<Change>) {
    if let (Some(before), Some(after)) = (before, after) {
        if is_same(before, after) {
            return;
        }
        if let (Some(old), Some(new)) = (parts(before), parts(after))
            && is_object(before) == is_object(after)
        {
            let added = new.iter().filter(|(key, _)| old.iter().all(|(known, _)| known != key));
            let keys: Vec<_> = old.iter().chain(added).map(|(key, _)| key).collect();
            let (old, new): (BTreeMap<_, _>, BTreeMap<_, _>) = (of(&old), of(&new));
            for key in keys {
                let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
                compare(&path, old.get(key).copied(), new.get(key).copied(), changes);
            }
            return;
        }
    }
    changes.push(Change { path: path.to_owned(), from: before.cloned(), to: after.cloned() });
}

type Parts = Vec<(String, Json)>;

fn of(parts: &Parts) -> BTreeMap<&String, &Json> {
    parts.iter().map(|(key, value)| (key, value)).collect()
}

fn is_object(json: &Json) -> bool {
    json.as_str().trim_start().starts_with('{')
}

/// The members of an object, or the elements of an array; `None` of anything else.
fn parts(json: &Json) -> Option<Parts> {
    match json.as_str().trim_start().as_bytes().first()? {
        b'{' => json.read::<Members>().ok().map(|members| members.0),
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

/// An object's members in their order.
struct Members(Parts);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: &str, after: &str) -> Vec<String> {
        let json = |text: &str| Json::parse(text).expect("valid");
        let text =
            |json: &Option<Json>| json.as_ref().map_or("-".to_owned(), |json| json.as_str().to_owned());
        let told =
            |change: &Change| format!("{}: {} > {}", change.path, text(&change.from), text(&change.to));
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
}
