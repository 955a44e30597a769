//! The limits on JSON from callers, and the error for a text that exceeds one.

/// The maximum nesting depth of arrays and objects. SQLite's JSON functions stop at 1,000.
pub const MAX_DEPTH: usize = 256;
/// The maximum length of a JSON text from a caller, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The reason why a JSON text from a caller is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadJson {
    /// The text is not JSON (RFC 8259).
    #[error("it is not JSON: {0}")]
    Syntax(String),
    /// An object repeats a key. One parser would show the first value and another would run the last.
    #[error("an object repeats the key {key:?} (at byte {at})")]
    DuplicateKey {
        /// The key, unescaped.
        key: String,
        /// The byte offset of the repeated key.
        at: usize,
    },
    /// A string contains a lone surrogate such as `\ud800`, which cannot be shown to an approver.
    #[error("the string at byte {at} is not Unicode: {why}")]
    NotUnicode {
        /// The byte offset of the string.
        at: usize,
        /// The parser's message.
        why: String,
    },
    /// The text nests deeper than [`MAX_DEPTH`].
    #[error("it nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// The text is longer than [`MAX_BYTES`].
    #[error("it has {0} bytes; the limit is {MAX_BYTES}")]
    TooLarge(usize),
    /// A number has an exponent outside 32 bits, which [`ExactDecimal`](super::ExactDecimal) cannot hold.
    #[error("the exponent of the number at byte {at} is out of range")]
    NumberRange {
        /// The byte offset of the number.
        at: usize,
    },
}
