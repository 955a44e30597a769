//! List pages, and thread summaries.

use crate::{Call, Event, ThreadId, Timestamp};
use countersign_events::Mode;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most items in a page, even if a request asks for more.
pub const MAX_PAGE: usize = 1_000;

/// The requested part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageQuery {
    /// The cursor: the previous page's `next`. 0 starts at the start of the list.
    pub after: i64,
    /// The most items to return, at most [`MAX_PAGE`]. 100 by default.
    pub limit: usize,
}

impl Default for PageQuery {
    fn default() -> Self {
        Self { after: 0, limit: 100 }
    }
}

/// A page of a list that can include ended items: grants, tokens, approver keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SelectionQuery {
    /// Whether to include ended items.
    pub all: bool,
    /// The page.
    pub page: PageQuery,
}

/// A page of pending calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"pending": [], "next": null}))))]
#[serde(rename_all = "camelCase")]
pub struct PendingPage {
    /// The calls, the oldest request first.
    pub pending: Vec<Call>,
    /// The next page's cursor; `null` at the end.
    pub next: Option<i64>,
}

/// A page of calls in any state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"calls": [], "next": null}))))]
#[serde(rename_all = "camelCase")]
pub struct CallPage {
    /// The calls, the newest proposal first.
    pub calls: Vec<Call>,
    /// The next page's cursor; `null` at the end. A short page may still have a next page.
    pub next: Option<i64>,
}

/// A log page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"events": [], "next": null, "tip": 0}))))]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    /// The events, in order.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Event>))]
    pub events: Vec<Arc<Event>>,
    /// The next page's cursor; `null` at the log's current end. A short page may still have a next page, because one
    /// request does not search the whole log for a rare match.
    pub next: Option<i64>,
    /// The last `seq` of the log, or of the thread; 0 without events.
    pub tip: i64,
}

/// A thread summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "threadId": "t1",
        "firstEventAt": "2026-01-31T12:00:00.000Z",
        "lastEventAt": "2026-01-31T12:00:04.000Z",
        "lastSeq": 5,
        "calls": 1,
        "pending": 0,
        "mode": "interactive"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ThreadSummary {
    /// The thread's id.
    pub thread_id: ThreadId,
    /// The time of its first event.
    pub first_event_at: Timestamp,
    /// The time of its last event.
    pub last_event_at: Timestamp,
    /// The `seq` of its last event.
    pub last_seq: i64,
    /// The number of its calls.
    pub calls: i64,
    /// The number of its pending calls.
    pub pending: i64,
    /// The thread's mode.
    pub mode: Mode,
    /// The time at which the thread was closed; absent if it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
}

/// A page of threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threads": [{
        "threadId": "t1",
        "firstEventAt": "2026-01-31T12:00:00.000Z",
        "lastEventAt": "2026-01-31T12:00:04.000Z",
        "lastSeq": 5,
        "calls": 1,
        "pending": 0,
        "mode": "interactive"
    }], "next": null}))))]
#[serde(rename_all = "camelCase")]
pub struct ThreadPage {
    /// The threads, the most recently active first.
    pub threads: Vec<ThreadSummary>,
    /// The next page's cursor; `null` at the end. A short page may still have a next page.
    pub next: Option<i64>,
}
