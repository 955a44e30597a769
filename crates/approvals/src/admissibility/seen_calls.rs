//! The calls that a check has met, in a few bytes each.

use super::{log_row::LogRow, proposal};
use std::{
    collections::HashSet,
    hash::{BuildHasher as _, RandomState},
};

/// The calls so far, by the hash of their thread and their id.
#[derive(Debug, Default)]
pub(super) struct SeenCalls {
    hashes: HashSet<u64>,
    keys: RandomState,
    /// Whether two calls had the same hash: most likely they are the same call.
    pub(super) has_repetition: bool,
}

impl SeenCalls {
    pub(super) fn note(&mut self, row: &LogRow) {
        if let Some(id) = proposal::proposed_call(row) {
            let is_new = self.hashes.insert(self.keys.hash_one((&row.event.thread_id, id)));
            self.has_repetition |= !is_new;
        }
    }
}
