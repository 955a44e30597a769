//! Lists, and other answers that are about no single call.

use super::Call;
use crate::{CallId, Event, Principal, ThreadId, Timestamp, ToolName};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most that a page holds, however much is asked for.
pub const MAX_PAGE: usize = 1_000;

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageOf {
    /// The cursor: what comes after this. 0 for the beginning.
    pub after: i64,
    /// How much, [`MAX_PAGE`] at most.
    pub limit: usize,
}

impl Default for PageOf {
    fn default() -> Self {
        Self { after: 0, limit: 100 }
    }
}

/// What waits for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    /// The calls, the oldest request first.
    pub pending: Vec<Call>,
    /// The cursor of the next page; `null` at the end.
    pub next: Option<i64>,
}

/// Part of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    /// The events, in order.
    pub events: Vec<Arc<Event>>,
    /// The cursor of the next page; `null` if there is none yet.
    pub next: Option<i64>,
}

/// A standing grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// The `seq` of the response that gave it, which is its name.
    pub seq: i64,
    /// The tool it is for.
    pub tool: ToolName,
    /// Who gave it.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// On which call.
    pub tool_call_id: CallId,
}

/// The standing grants of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grants {
    /// The grants, the oldest first.
    pub grants: Vec<Grant>,
}

/// A thread that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Closed {
    /// The thread.
    pub thread_id: ThreadId,
    /// When it was closed.
    pub closed_at: Timestamp,
    /// Who closed it.
    pub principal: Principal,
    /// The calls that this cancelled.
    pub cancelled: Vec<CallId>,
}

/// The log can be written and read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    /// `ready`.
    pub status: String,
    /// How long the log is.
    pub events: i64,
    /// How many rules the policy has.
    pub rules: usize,
    /// The program's version.
    pub version: String,
}
