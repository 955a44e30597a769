//! The number of open requests, for the policy's limits. A batch reads the counts that its proposals need, and its own
//! events change them.

use countersign_events::{Principal, ThreadId};
use std::collections::HashMap;

/// The number of open requests by thread and by proposer, as far as they were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingCounts {
    /// By thread.
    pub threads: HashMap<ThreadId, u32>,
    /// By proposer, in all threads.
    pub proposers: HashMap<Principal, u32>,
}

/// The number of open requests to which the proposal limits apply. Zero where they were not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingCount {
    /// In the thread.
    pub in_thread: u32,
    /// Of the proposer, in all threads.
    pub of_proposer: u32,
}

impl PendingCounts {
    pub(super) fn extend(&mut self, read: Self) {
        self.threads.extend(read.threads);
        self.proposers.extend(read.proposers);
    }

    pub(super) fn clear(&mut self) {
        self.threads.clear();
        self.proposers.clear();
    }

    pub(super) fn count(&self, thread: &ThreadId, proposer: &Principal) -> PendingCount {
        PendingCount {
            in_thread: self.threads.get(thread).copied().unwrap_or(0),
            of_proposer: self.proposers.get(proposer).copied().unwrap_or(0),
        }
    }

    /// Adds a request to the counts that were read.
    pub(super) fn open(&mut self, thread: &ThreadId, proposer: &Principal) {
        for count in self.read_counts(thread, proposer) {
            *count = count.saturating_add(1);
        }
    }

    /// Removes a request from the counts that were read.
    pub(super) fn close(&mut self, thread: &ThreadId, proposer: &Principal) {
        for count in self.read_counts(thread, proposer) {
            *count = count.saturating_sub(1);
        }
    }

    fn read_counts(&mut self, thread: &ThreadId, proposer: &Principal) -> impl Iterator<Item = &mut u32> {
        self.threads.get_mut(thread).into_iter().chain(self.proposers.get_mut(proposer))
    }
}
