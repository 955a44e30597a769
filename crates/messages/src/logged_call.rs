//! A call as the log has it, beside which messages are compared.

use countersign_api::Call;
use countersign_events::{Json, Sha256, json::JsonTree};
use std::{
    collections::{HashMap, HashSet},
    ops::Deref,
};

/// A log call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedCall {
    /// The call in its current state.
    pub call: Call,
    /// The arguments as the agent proposed them, with masks in the place of secrets.
    pub proposed: Json,
    /// The proposed arguments hash, without masks.
    pub proposed_hash: Sha256,
}

impl LoggedCall {
    /// Whether the call was proposed with these arguments, or runs with them. Both sides may have masks.
    pub(crate) fn has_arguments(&self, shown: &JsonTree) -> bool {
        is_same(shown, &self.proposed, self.proposed_hash) || self.runs_with(shown)
    }

    /// Whether the call runs with these arguments.
    pub(crate) fn runs_with(&self, shown: &JsonTree) -> bool {
        is_same(shown, &self.call.arguments, self.call.arguments_hash)
    }
}

impl Deref for LoggedCall {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.call
    }
}

fn is_same(shown: &JsonTree, masked: &Json, raw: Sha256) -> bool {
    let shown = shown.to_json();
    let hash = shown.canonical_hash().ok();
    hash.is_some() && (hash == masked.canonical_hash().ok() || shown.admit().ok() == Some(raw))
}

/// The log's calls, by their ids.
pub type LoggedCalls = HashMap<String, LoggedCall>;

/// The ids of these calls.
pub(crate) fn ids_of(calls: &LoggedCalls) -> HashSet<&str> {
    calls.keys().map(String::as_str).collect()
}
