//! JSON values that keep their text byte for byte, with their canonical form and its hash.

mod ambiguous_keys;
mod bad_json;
mod canonical;
mod decimal;
mod diff;
mod numbers;
mod tokens;
mod tree;

pub use bad_json::{AmbiguousKeys, BadJson, MAX_BYTES, MAX_DEPTH, MAX_NUMBER_DIGITS, MAX_NUMBER_EXPONENT};
pub use decimal::ExactDecimal;
pub use diff::{ArgumentChange, diff};
pub use tokens::{JsonTokens, unquote};
pub use tree::JsonTree;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use sha2::Digest;
use std::{fmt, sync::Arc};

/// A JSON value that keeps its exact text: key order, white space and every digit of its numbers.
///
/// `Deserialize` checks only the syntax, because the log must stay readable. Values from callers must also pass
/// [`Json::admit`].
#[derive(Clone)]
pub struct Json(Arc<RawValue>);

impl Json {
    /// Parses JSON from a caller. [`BadJson`] lists what is rejected.
    pub fn parse(text: &str) -> Result<Self, BadJson> {
        let raw: Box<RawValue> = serde_json::from_str(text).map_err(|e| BadJson::Syntax(e.to_string()))?;
        let json = Self(raw.into());
        json.admit()?;
        Ok(json)
    }

    /// Wraps JSON that is already in the log. Only the syntax is checked.
    pub fn stored(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(|raw| Self(raw.into()))
    }

    /// Serializes `value` to JSON.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(|raw| Self(raw.into()))
    }

    /// The value `null`, which replaces erased content.
    #[must_use]
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned().into())
    }

    /// Makes a JSON string of `text`.
    #[must_use]
    pub fn string(text: &str) -> Self {
        let quoted = serde_json::Value::from(text).to_string();
        // A quoted string is always valid JSON, so the fallback is never reached.
        Self(RawValue::from_string(quoted).unwrap_or_else(|_| RawValue::NULL.to_owned()).into())
    }

    /// Checks a value from a caller against the limits, and returns the hash of its canonical form.
    pub fn admit(&self) -> Result<Sha256, BadJson> {
        let text = self.as_str();
        if text.len() > MAX_BYTES {
            return Err(BadJson::TooLarge(text.len()));
        }
        let hash = self.canonical_hash()?;
        self.check_numbers()?;
        Ok(hash)
    }

    /// Checks call arguments from a caller: as [`Json::admit`], and no object has two keys that some parsers read as
    /// one.
    pub fn admit_arguments(&self) -> Result<Sha256, BadJson> {
        let hash = self.admit()?;
        self.find_ambiguous_keys().map_or(Ok(hash), |keys| Err(BadJson::AmbiguousKeys(keys)))
    }

    /// Two keys of one object, at any depth, that some parsers read as one. See [`fold_spelling`](crate::fold_spelling).
    #[must_use]
    pub fn find_ambiguous_keys(&self) -> Option<AmbiguousKeys> {
        ambiguous_keys::find(self.as_str())
    }

    /// The canonical hash of a value in the log. An older version may have written it with other limits.
    pub fn canonical_hash(&self) -> Result<Sha256, BadJson> {
        Ok(Sha256::digest(self.canonical()?.as_bytes()))
    }

    /// Checks each number against [`MAX_NUMBER_DIGITS`] and [`MAX_NUMBER_EXPONENT`].
    pub fn check_numbers(&self) -> Result<(), BadJson> {
        numbers::check_numbers(self.as_str())
    }

    /// The canonical form (RFC 8785), except that numbers keep their exact decimal value. RFC 8785 would round them to
    /// doubles; here every digit stays, formatted as ECMAScript formats numbers.
    pub fn canonical(&self) -> Result<String, BadJson> {
        canonical::canonicalize(self.as_str())
    }

    /// The exact text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// The object members, in their written order and with every digit of their numbers. `None` if the value is not an
    /// object.
    #[must_use]
    pub fn members(&self) -> Option<Vec<(String, Self)>> {
        self.read::<MemberReader>().ok().map(|members| members.0)
    }

    /// Deserializes the value as `T`.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }
}

struct MemberReader(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for MemberReader {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameCollector;
        impl<'de> Visitor<'de> for NameCollector {
            type Value = MemberReader;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MemberReader, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(MemberReader(members))
            }
        }
        deserializer.deserialize_map(NameCollector)
    }
}

impl PartialEq for Json {
    /// Compares the JSON byte for byte. To compare the values, compare the hashes that [`Json::admit`] returns.
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self(raw.into()))
    }
}

/// A SHA-256 hash, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The link before the log's first row: 32 zero bytes.
    pub const ZERO: Self = Self([0; 32]);

    /// Hashes `bytes`.
    #[must_use]
    pub fn digest(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Compares two hashes in a time that does not depend on them.
    #[must_use]
    pub fn equals_in_constant_time(&self, other: &Self) -> bool {
        subtle::ConstantTimeEq::ct_eq(&self.0[..], &other.0[..]).into()
    }

    /// Parses 64 hexadecimal digits of either case.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok().map(|()| Self(bytes))
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 64];
        match hex::encode_to_slice(self.0, &mut digits) {
            Ok(()) => f.write_str(str::from_utf8(&digits).unwrap_or_default()),
            Err(_) => Err(fmt::Error),
        }
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Sha256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::from_hex(&text)
            .ok_or_else(|| serde::de::Error::custom("a SHA-256 hash must have 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests;
