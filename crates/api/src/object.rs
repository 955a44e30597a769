//! Reading an object into a type. serde also accepts an array of the fields in their order, which no document describes.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// Reads an object, or null.
pub(crate) fn read_optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_option(ObjectVisitor(PhantomData))
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use crate::ProposeRequest;

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
}
