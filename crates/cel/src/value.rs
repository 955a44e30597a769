//! The values of CEL. A copy is cheap: long values are shared.

use crate::moment::{CelDuration, CelTimestamp};
use std::{collections::BTreeMap, sync::Arc};

/// A value.
#[derive(Debug, Clone)]
pub enum CelValue {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer, such as `1u`.
    Uint(u64),
    /// A floating-point number.
    Double(f64),
    /// A string.
    Text(Arc<str>),
    /// A byte string, such as `b'a'`.
    Bytes(Arc<[u8]>),
    /// A list.
    List(Arc<[CelValue]>),
    /// A map. Its keys are sorted, so a loop over them always has the same order.
    Map(Arc<BTreeMap<MapKey, CelValue>>),
    /// A type, which is the result of `type(x)`.
    Type(&'static str),
    /// A moment, such as `timestamp('2024-05-01T12:00:00Z')`.
    Timestamp(CelTimestamp),
    /// A duration, such as `duration('1h')`.
    Duration(CelDuration),
}

/// A map key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MapKey {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// `true` or `false`
    Bool(bool),
    /// A string.
    Text(Arc<str>),
}

impl CelValue {
    /// The value's type name.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Type(_) => "type",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
        }
    }

    /// The keys under which a map may hold the member that this value selects, or `None` if it cannot select one.
    /// Integers of both kinds, and whole doubles, select the same member.
    pub(crate) fn to_map_keys(&self) -> Option<[Option<MapKey>; 2]> {
        let int = |number| Some(MapKey::Int(number));
        let uint = |number| Some(MapKey::Uint(number));
        Some(match self {
            Self::Int(number) => [int(*number), u64::try_from(*number).ok().and_then(uint)],
            Self::Uint(number) => [uint(*number), i64::try_from(*number).ok().and_then(int)],
            Self::Double(number) => {
                let whole = to_whole(*number);
                [
                    whole.and_then(|whole| i64::try_from(whole).ok()).and_then(int),
                    whole.and_then(|whole| u64::try_from(whole).ok()).and_then(uint),
                ]
            }
            Self::Bool(yes) => [Some(MapKey::Bool(*yes)), None],
            Self::Text(text) => [Some(MapKey::Text(Arc::clone(text))), None],
            _ => return None,
        })
    }
}

/// The integer that equals a double, if there is one of at most 64 bits.
pub(crate) fn to_whole(number: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "the guard admits whole numbers of at most 65 bits")]
    (number.fract() == 0.0 && number.abs() < 18_446_744_073_709_551_616.0).then_some(number as i128)
}

/// The map member that a key selects.
pub(crate) fn find_member<'a>(
    members: &'a BTreeMap<MapKey, CelValue>,
    keys: &[Option<MapKey>; 2],
) -> Option<&'a CelValue> {
    keys.iter().flatten().find_map(|key| members.get(key))
}

impl From<MapKey> for CelValue {
    fn from(key: MapKey) -> Self {
        match key {
            MapKey::Int(number) => Self::Int(number),
            MapKey::Uint(number) => Self::Uint(number),
            MapKey::Bool(yes) => Self::Bool(yes),
            MapKey::Text(text) => Self::Text(text),
        }
    }
}

impl From<&str> for CelValue {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Vec<Self>> for CelValue {
    fn from(values: Vec<Self>) -> Self {
        Self::List(values.into())
    }
}
