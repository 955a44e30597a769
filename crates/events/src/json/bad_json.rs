//! The limits on JSON from callers, and the error for JSON that exceeds one.

use std::fmt;

/// The maximum nesting depth of arrays and objects. SQLite's JSON functions stop at 1,000.
pub const MAX_DEPTH: usize = 256;
/// The maximum length of JSON from a caller, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The maximum digit count of a number, leading and trailing zeros included. With [`MAX_NUMBER_EXPONENT`], each
/// accepted number has at most 2,000 digits before and after its point. PostgreSQL reads up to 131,072 before and
/// 16,383 after it, and SQLite reads any number. A number of a few bytes that expands to all these digits would fill
/// memory.
pub const MAX_NUMBER_DIGITS: usize = 1_000;
/// The maximum exponent, and with a minus sign the minimum. A double needs no more than 324.
pub const MAX_NUMBER_EXPONENT: u32 = 1_000;

/// The reason why JSON from a caller is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadJson {
    /// The input is not JSON (RFC 8259).
    #[error("it is not JSON: {0}")]
    Syntax(String),
    /// An object repeats a key. One parser would show the first value and another would run the last.
    #[error("an object repeats the key {key:?} (at byte {at})")]
    DuplicateKey {
        /// The key, unescaped.
        key: String,
        /// The repeated key's byte offset.
        at: usize,
    },
    /// An object has two keys that some parsers read as one: only arguments of calls are checked for it.
    #[error("{0}")]
    AmbiguousKeys(AmbiguousKeys),
    /// A string contains a lone surrogate such as `\ud800`, which cannot be shown to an approver.
    #[error("the string at byte {at} is not Unicode: {why}")]
    NotUnicode {
        /// The string's byte offset.
        at: usize,
        /// The parser's message.
        why: String,
    },
    /// The input nests deeper than [`MAX_DEPTH`].
    #[error("it nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// The input is longer than [`MAX_BYTES`].
    #[error("it has {0} bytes; the limit is {MAX_BYTES}")]
    TooLarge(usize),
    /// A number has more than [`MAX_NUMBER_DIGITS`] digits.
    #[error("the number at byte {at} has {digits} digits; the limit is {MAX_NUMBER_DIGITS}")]
    TooManyDigits {
        /// The number's byte offset.
        at: usize,
        /// The number of digits before the exponent.
        digits: usize,
    },
    /// A number has an exponent beyond [`MAX_NUMBER_EXPONENT`].
    #[error(
        "the exponent of the number at byte {at} is out of range; the limits are -{MAX_NUMBER_EXPONENT} and {MAX_NUMBER_EXPONENT}"
    )]
    ExponentTooLarge {
        /// The number's byte offset.
        at: usize,
    },
}

/// Two keys of one object that some parsers read as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmbiguousKeys {
    /// The key that comes first.
    pub first: String,
    /// The other key.
    pub second: String,
}

impl fmt::Display for AmbiguousKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second } = self;
        write!(
            f,
            "the keys {first:?} and {second:?} of one object are the same key to some programs; keep one of them"
        )
    }
}
