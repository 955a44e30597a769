//! A reader of CBOR (RFC 8949), as far as authenticators write it: no indefinite lengths, no numbers with a fraction.

/// The deepest nesting. An attestation has three levels.
const MAX_DEPTH: usize = 8;

/// A value. Other simple values and tags do not occur where WebAuthn needs a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CborValue {
    Int(i64),
    Bytes(Vec<u8>),
    Text(String),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
    Simple(u64),
}

impl CborValue {
    /// Reads one value, and returns it with the remaining bytes.
    pub(super) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        read_value(bytes, MAX_DEPTH)
    }

    /// The member value, if this is a map with one member of this name.
    pub(super) fn member(&self, name: &Self) -> Option<&Self> {
        let Self::Map(members) = self else { return None };
        let mut found = members.iter().filter(|(key, _)| key == name).map(|(_, value)| value);
        let value = found.next()?;
        found.next().is_none().then_some(value)
    }

    pub(super) fn as_bytes(&self) -> Option<&[u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }
}

fn read_value(bytes: &[u8], depth: usize) -> Option<(CborValue, &[u8])> {
    let depth = depth.checked_sub(1)?;
    let (argument, mut rest) = read_argument(bytes)?;
    let value = match bytes[0] >> 5 {
        0 => CborValue::Int(i64::try_from(argument).ok()?),
        1 => CborValue::Int(-1 - i64::try_from(argument).ok()?),
        kind @ (2 | 3) => {
            let (taken, after) = rest.split_at_checked(usize::try_from(argument).ok()?)?;
            rest = after;
            if kind == 2 {
                CborValue::Bytes(taken.to_vec())
            } else {
                CborValue::Text(std::str::from_utf8(taken).ok()?.to_owned())
            }
        }
        4 => {
            let mut items = Vec::new();
            // Each item takes a byte at least, so a false number ends with the bytes.
            for _ in 0..argument {
                let (item, after) = read_value(rest, depth)?;
                items.push(item);
                rest = after;
            }
            CborValue::List(items)
        }
        5 => {
            let mut members = Vec::new();
            for _ in 0..argument {
                let (name, after) = read_value(rest, depth)?;
                let (value, after) = read_value(after, depth)?;
                members.push((name, value));
                rest = after;
            }
            CborValue::Map(members)
        }
        7 => CborValue::Simple(argument),
        _ => return None,
    };
    Some((value, rest))
}

/// The number in a value head, and the bytes after it.
fn read_argument(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let length = match first & 0x1f {
        small @ 0..24 => return Some((u64::from(small), rest)),
        24 => 1,
        25 => 2,
        26 => 4,
        27 => 8,
        _ => return None,
    };
    let (number, rest) = rest.split_at_checked(length)?;
    Some((number.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)), rest))
}
