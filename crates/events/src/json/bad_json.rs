//! The limits of JSON from outside, and the error of a text that breaks one.

/// How deep arrays and objects may nest. SQLite's own JSON functions stop at 1,000.
pub const MAX_DEPTH: usize = 256;
/// The longest JSON text taken from outside, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Why a JSON text is refused at the door.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadJson {
    /// Not JSON at all (RFC 8259).
    #[error("it is not JSON: {0}")]
    Syntax(String),
    /// An object with a key twice: what one parser shows, another might not run.
    #[error("an object has the key {key:?} twice (at byte {at})")]
    DuplicateKey {
        /// The key, unescaped.
        key: String,
        /// Where it stands the second time, in bytes from the start.
        at: usize,
    },
    /// A `\ud800` without its partner: no Unicode, so nobody can be shown it.
    #[error("the string at byte {at} is not Unicode: {why}")]
    NotUnicode {
        /// Where the string begins, in bytes from the start.
        at: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("it nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Longer than [`MAX_BYTES`].
    #[error("it has {0} bytes, and {MAX_BYTES} is the most")]
    TooLarge(usize),
    /// An exponent that no exact arithmetic here can hold.
    #[error("the exponent of the number at byte {at} is out of range")]
    NumberRange {
        /// Where the number begins, in bytes from the start.
        at: usize,
    },
}
