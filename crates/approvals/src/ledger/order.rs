//! What somebody wants of the log, and what has to be read before it can be decided on.

use crate::{Command, ThreadCommand, decide::Stop};
use countersign_events::{CallId, Principal, Sha256, ThreadId, Timestamp};
use countersign_policy::Policy;
use std::{collections::HashSet, sync::Arc};

/// What somebody wants: a command with everything that is needed to decide on it.
#[derive(Debug, Clone)]
pub struct Order {
    /// What.
    pub wish: Wish,
    /// Who wants it.
    pub by: Principal,
    /// When it is judged.
    pub now: Timestamp,
    /// The policy it is judged by.
    pub policy: Arc<Policy>,
}

/// A command, and what it is about.
#[derive(Debug, Clone)]
pub enum Wish {
    /// About that call of that thread.
    Call(ThreadId, CallId, Command),
    /// About that thread.
    Thread(ThreadId, ThreadCommand),
    /// About whatever waits for people, in whatever thread.
    Everywhere(Stop),
}

impl Wish {
    /// The call it is about, if it is one.
    #[must_use]
    pub const fn call(&self) -> Option<(&ThreadId, &CallId)> {
        match self {
            Self::Call(thread_id, id, _) => Some((thread_id, id)),
            Self::Thread(..) | Self::Everywhere(_) => None,
        }
    }
}

/// What has to be read from the log before a batch of orders can be decided on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// The events of these calls.
    pub calls: HashSet<(ThreadId, CallId)>,
    /// What holds for these threads: whether they are closed, what was set and revoked, and the events of the
    /// calls that gave grants or denials which last.
    pub threads: HashSet<ThreadId>,
    /// The events of the calls of these threads with these arguments that people decided of late.
    pub alike: HashSet<(ThreadId, Sha256)>,
    /// Since when "of late" is.
    pub since: Timestamp,
    /// The events of all calls of these threads that wait for people.
    pub pending: HashSet<ThreadId>,
    /// The events of all calls that wait for people, and what holds for their threads.
    pub everywhere: bool,
}

impl Default for Needs {
    fn default() -> Self {
        Self {
            calls: HashSet::new(),
            threads: HashSet::new(),
            alike: HashSet::new(),
            since: Timestamp::from_millis(0),
            pending: HashSet::new(),
            everywhere: false,
        }
    }
}

impl Needs {
    /// Whether nothing has to be read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
            && self.threads.is_empty()
            && self.alike.is_empty()
            && self.pending.is_empty()
            && !self.everywhere
    }
}
