//! Reads an object into a type. serde also accepts an array of the fields in order, which no document describes.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// Reads an object.
pub(crate) fn read_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    ReadObject::deserialize(deserializer).map(|ReadObject(value)| value)
}

/// Reads an object, or null.
pub(crate) fn read_optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let read = Option::<ReadObject<T>>::deserialize(deserializer)?;
    Ok(read.map(|ReadObject(value)| value))
}

/// Reads a list of objects.
pub(crate) fn read_objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let read = Vec::<ReadObject<T>>::deserialize(deserializer)?;
    Ok(read.into_iter().map(|ReadObject(value)| value).collect())
}

/// A value that was read from an object.
struct ReadObject<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ReadObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

#[cfg(test)]
mod tests {
    use crate::{DefineToolsRequest, ProposeRequest};

    fn reads(impact: &str) -> Result<bool, String> {
        let text = format!(r#"{{"id":"a","name":"bash","arguments":{{}},"impact":{impact}}}"#);
        let read = serde_json::from_str::<ProposeRequest>(&text);
        read.map(|request| request.impact.is_some()).map_err(|error| error.to_string())
    }

    #[test]
    fn array_of_fields_is_no_object() {
        assert_eq!(reads(r#"{"message":"deletes the cache"}"#), Ok(true));
        assert_eq!(reads("null"), Ok(false));
        let refused = reads("[null, null]").expect_err("an array");
        assert!(refused.contains("invalid type: sequence, expected an object"), "{refused}");
    }

    #[test]
    fn lists_hold_objects_only() {
        let reads = |tool: &str| {
            let text = format!(r#"{{"tools":[{tool}]}}"#);
            serde_json::from_str::<DefineToolsRequest>(&text).map(|request| request.tools.len())
        };
        assert_eq!(reads(r#"{"name":"bash","definition":{}}"#).expect("an object"), 1);
        for array in [r#"["bash",{}]"#, r#"{"name":"bash","definition":[null,null]}"#] {
            let refused = reads(array).expect_err("an array").to_string();
            assert!(refused.contains("invalid type: sequence, expected an object"), "{refused}");
        }
    }
}
