//! When two calls are the same call: their tool, their place and what they run are equal. Words for people may differ.

use countersign_events::{Sha256, ToolCall};
use countersign_policy::{has_prose, hash_without_prose};

/// What a call's arguments are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArgumentsIdentity {
    /// The hash of all arguments.
    pub hash: Sha256,
    /// The hash of those that are not only texts for people. `None` if that is not known: then only equal hashes are the
    /// same.
    pub without_prose: Option<Sha256>,
    /// Whether the arguments were erased, so that the log no longer says what they were compared by.
    pub is_erased: bool,
}

impl ArgumentsIdentity {
    /// The arguments of a call as they were proposed. Masked arguments are compared by their hash only, because the log does
    /// not have all of them.
    #[must_use]
    pub fn of_call(call: &ToolCall) -> Self {
        let (hash, is_whole) = (call.arguments_hash, call.redacted.is_empty() && call.erased.is_empty());
        Self {
            hash,
            without_prose: is_whole
                .then(|| hash_without_prose(&call.name, &call.arguments, Some(hash)))
                .flatten(),
            is_erased: !call.erased.is_empty(),
        }
    }

    /// Arguments of which only the hash counts.
    #[must_use]
    pub const fn of_hash(hash: Sha256) -> Self {
        Self { hash, without_prose: None, is_erased: false }
    }

    /// These arguments as the check of a log compares them with those of `call`. Arguments that were erased since may have been
    /// the same but for words: only the log before the erasure could tell.
    pub(crate) fn with_erased_as_same(self, call: &ToolCall) -> Self {
        let is_erased = self.is_erased || !call.erased.is_empty();
        if is_erased && has_prose(&call.name) { Self::of_call(call) } else { self }
    }

    /// Returns true if calls with these arguments run the same.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.hash == other.hash || self.without_prose.is_some() && self.without_prose == other.without_prose
    }
}
