//! Arguments from outside that passed validation.

use crate::Refused;
use countersign_events::{Json, Sha256, json::BadJson};
use std::fmt;

/// Arguments that passed validation, with the hash of their canonical form. `{:?}` shows the hash only, because the
/// arguments may hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct HashedArguments {
    json: Json,
    hash: Sha256,
}

impl HashedArguments {
    /// Validates arguments from outside.
    pub fn new(json: Json) -> Result<Self, Refused> {
        match json.admit_arguments() {
            Ok(hash) => Ok(Self { json, hash }),
            Err(BadJson::AmbiguousKeys(keys)) => Err(Refused::AmbiguousArguments(keys)),
            Err(why) => Err(Refused::bad_json("arguments", &why)),
        }
    }

    /// Arguments that ran. Keys that programs confuse are no reason to leave them out of the log.
    pub fn reported(json: Json) -> Result<Self, Refused> {
        match json.admit() {
            Ok(hash) => Ok(Self { json, hash }),
            Err(why) => Err(Refused::bad_json("ranArguments", &why)),
        }
    }

    /// Arguments from the log, which an older version may have written with other limits.
    pub(crate) fn stored(json: Json) -> Result<Self, Refused> {
        match json.canonical_hash() {
            Ok(hash) => Ok(Self { json, hash }),
            Err(why) => Err(Refused::bad_json("arguments", &why)),
        }
    }

    /// Arguments that the log has masked, with the hash that was recorded for the unmasked ones.
    pub(crate) const fn recorded(json: Json, hash: Sha256) -> Self {
        Self { json, hash }
    }

    /// The arguments, byte for byte.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// SHA-256 of the canonical form.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        self.hash
    }
}

impl fmt::Debug for HashedArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HashedArguments").field("hash", &self.hash).finish_non_exhaustive()
    }
}
