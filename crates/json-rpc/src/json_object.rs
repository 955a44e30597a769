//! JSON object members with their exact source, so that a frame passes unchanged.

use countersign_events::fold_spelling;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{fmt, ops::Range};

/// The members of a frame that decide its meaning.
pub const FRAME_KEYS: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

/// The members in source order, also repeated ones.
#[derive(Debug)]
pub struct JsonObject<'a>(Vec<(String, &'a RawValue)>);

/// Two members of an object that a server may read as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmbiguousKey(
    /// The key.
    pub String,
);

impl<'a> JsonObject<'a> {
    /// Reads an object; `None` for any other text.
    #[must_use]
    pub fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The members, each with its key and its text.
    pub fn members(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.get()))
    }

    /// The source of the first member with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    /// The member with this key as `T`; `None` also if it is of another type.
    #[must_use]
    pub fn get_as<T: Deserialize<'a>>(&self, key: &str) -> Option<T> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// Refuses a repeated key of this list, and a key that differs from one of them only in case. Parsers choose different
    /// members then (Go's `encoding/json` ignores case and takes the last), so a server could run another call than the
    /// approved one.
    pub fn check_keys(&self, keys: &[&str]) -> Result<(), AmbiguousKey> {
        for key in keys {
            let mut same = self.0.iter().filter(|(name, _)| fold_spelling(name) == fold_spelling(key));
            let exact = same.next().is_none_or(|(name, _)| name == key);
            if !exact || same.next().is_some() {
                return Err(AmbiguousKey((*key).to_owned()));
            }
        }
        Ok(())
    }
}

/// The place of `part` in `whole`, of which it is a slice.
#[must_use]
pub fn range_of(whole: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}

/// Replaces one range.
#[must_use]
pub fn splice(text: &str, range: Range<usize>, new: &str) -> String {
    [text.get(..range.start).unwrap_or_default(), new, text.get(range.end..).unwrap_or_default()].concat()
}

/// Replaces several ranges, which must not overlap.
#[must_use]
pub fn splice_all(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    // From the end, so that the places before it stay valid.
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    edits.into_iter().fold(text.to_owned(), |text, (range, new)| splice(&text, range, &new))
}

impl<'de: 'a, 'a> Deserialize<'de> for JsonObject<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawMemberCollector;
        impl<'de> Visitor<'de> for RawMemberCollector {
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
        deserializer.deserialize_map(RawMemberCollector).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_parsers_confuse_are_refused() {
        for text in [
            r#"{"method":1,"method":2}"#,
            r#"{"method":1,"meth\u006fd":2}"#,
            r#"{"method":1,"Method":2}"#,
            r#"{"METHOD":2}"#,
            r#"{"paramſ":1}"#,
        ] {
            let object = JsonObject::read(text).expect(text);
            assert!(object.check_keys(&["method", "params"]).is_err(), "{text}");
        }
        let object = JsonObject::read(r#"{"method":1,"params":2,"other":3,"Other":4}"#).expect("valid");
        assert_eq!(object.check_keys(&["method", "params"]), Ok(()));
    }

    #[test]
    fn splice_keeps_the_rest_of_the_text() {
        let text = r#"{ "a" : 1.10 , "b":[ ] }"#;
        let object = JsonObject::read(text).expect("valid");
        let range = range_of(text, object.get("b").expect("there"));
        assert_eq!(splice(text, range, "{}"), r#"{ "a" : 1.10 , "b":{} }"#);
    }
}
