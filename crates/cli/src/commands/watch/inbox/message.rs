//! What the inbox is told, and what it wants done.

use countersign_api as api;
use countersign_gate::{CallId, Json, Principal, Sha256, ThreadId, event::Decision};

/// A call's name: its id means something in its thread alone.
pub(in crate::commands::watch) type Key = (ThreadId, CallId);

pub(in crate::commands::watch) fn key(call: &api::Call) -> Key {
    (call.thread_id.clone(), call.id.clone())
}

/// What the world tells.
#[derive(Debug)]
pub(in crate::commands::watch) enum News {
    /// All that waits.
    Loaded(Vec<api::Call>),
    /// What has come to wait.
    Arrived(Vec<api::Call>),
    /// Somebody has decided.
    Decided(Key, Verdict),
    /// It still waits, and something about it is new: a vote, a higher level. The person may be told so aloud.
    Changed(Box<api::Call>, bool),
    /// What came of changing arguments in an editor: nothing, if they were left as they were.
    Edited(Key, Result<Option<Json>, String>),
    /// What came of our own decision.
    Answered(Sent, Result<Box<api::Call>, NotDecided>),
    /// The log cannot be reached, and is tried again.
    Lost(String),
    /// Something to say.
    Notice(String),
}

/// A decision that was made, in words: `denied by user:ben`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::watch) struct Verdict {
    pub(in crate::commands::watch) text: String,
    pub(in crate::commands::watch) by: Principal,
}

/// Why our decision is not in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::watch) struct NotDecided {
    pub(in crate::commands::watch) why: String,
    /// Whether the call waits no more.
    pub(in crate::commands::watch) gone: Option<Verdict>,
}

/// A decision on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::watch) struct Sent {
    pub(in crate::commands::watch) key: Key,
    pub(in crate::commands::watch) decision: Decision,
    pub(in crate::commands::watch) comment: Option<String>,
    /// The arguments that were on the screen: should others have taken their place, nothing is decided.
    pub(in crate::commands::watch) about: Sha256,
    /// What is to run instead.
    pub(in crate::commands::watch) arguments: Option<Json>,
    /// How wide it is remembered.
    pub(in crate::commands::watch) matches: Option<Json>,
    pub(in crate::commands::watch) level: Option<String>,
}

/// What is to be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::watch) enum Wish {
    Decide(Sent),
    /// Have the arguments of a call changed in an editor.
    Edit(Key, Json),
    Reload,
    Ring,
    Suspend,
    Quit,
    Interrupt,
}
