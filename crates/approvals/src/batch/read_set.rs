//! The part of the log that must be read before a command batch can be decided.

use countersign_events::{CallId, Principal, Sha256, ThreadId, Timestamp, ToolName};
use std::collections::HashSet;

/// The part of the log that must be read before a command batch can be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadSet {
    /// Calls whose events are all needed.
    pub calls: HashSet<(ThreadId, CallId)>,
    /// Threads whose settings are needed: whether they are closed, their mode and policies, revoked grants, and the
    /// events of calls that gave lasting grants or denials.
    pub threads: HashSet<ThreadId>,
    /// Argument hashes in a thread: the events of calls with these arguments that people decided after `since`.
    pub same_arguments: HashSet<(ThreadId, Sha256)>,
    /// Threads for which the events of all calls that people decided after `since` are needed, because arguments with other
    /// hashes may be the same call.
    pub recent: HashSet<ThreadId>,
    /// The earliest decision that `same_arguments` and `recent` ask for.
    pub since: Timestamp,
    /// Threads for which the events of all calls that have not started (pending or allowed) are needed.
    pub open: HashSet<ThreadId>,
    /// Whether the events of such calls are needed in all threads, with the settings of their threads.
    pub all_open: bool,
    /// Whether the active policy is needed.
    pub policy: bool,
    /// Threads whose number of open requests is needed.
    pub counted_threads: HashSet<ThreadId>,
    /// Proposers whose number of open requests is needed.
    pub counted_proposers: HashSet<Principal>,
    /// Whether all events about tokens, webhooks and advisors are needed.
    pub directories: bool,
    /// Tools whose definitions are all needed.
    pub tools: HashSet<ToolName>,
}

impl Default for ReadSet {
    fn default() -> Self {
        Self {
            calls: HashSet::new(),
            threads: HashSet::new(),
            same_arguments: HashSet::new(),
            recent: HashSet::new(),
            since: Timestamp::from_millis(0),
            open: HashSet::new(),
            all_open: false,
            policy: false,
            counted_threads: HashSet::new(),
            counted_proposers: HashSet::new(),
            directories: false,
            tools: HashSet::new(),
        }
    }
}

impl ReadSet {
    /// Returns true if nothing needs to be read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.threads.is_empty()
            && self.same_arguments.is_empty()
            && self.recent.is_empty()
            && self.open.is_empty()
            && !self.all_open
            && !self.policy
            && self.counted_threads.is_empty()
            && self.counted_proposers.is_empty()
            && !self.directories
            && self.tools.is_empty()
    }
}
