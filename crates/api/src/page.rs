//! Lists: pages of them, and the threads that one of them holds.

use crate::{Call, Event, ThreadId, Timestamp};
use countersign_events::event::Mode;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most that a page holds, however much is asked for.
pub const MAX_PAGE: usize = 1_000;

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageQuery {
    /// The cursor: the `next` of the page before. 0 for the beginning of the list.
    pub after: i64,
    /// How much, [`MAX_PAGE`] at most.
    pub limit: usize,
}

impl Default for PageQuery {
    fn default() -> Self {
        Self { after: 0, limit: 100 }
    }
}

/// The pending calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"pending": [], "next": null}))))]
#[serde(rename_all = "camelCase")]
pub struct PendingPage {
    /// The calls, the oldest request first.
    pub pending: Vec<Call>,
    /// The cursor of the next page; `null` at the end.
    pub next: Option<i64>,
}

/// Calls, however they stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"calls": [], "next": null}))))]
#[serde(rename_all = "camelCase")]
pub struct CallPage {
    /// The calls, the last that was proposed first.
    pub calls: Vec<Call>,
    /// The cursor of the next page; `null` at the end. A page may be short, and have a next one all the same.
    pub next: Option<i64>,
}

/// Part of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"events": [], "next": null, "tip": 0}))))]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    /// The events, in order.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Event>))]
    pub events: Vec<Arc<Event>>,
    /// The cursor of the next page; `null` if there is none yet. A page may be short, and have a next one all
    /// the same: a filter that meets hardly anything is not to search the whole log at once.
    pub next: Option<i64>,
    /// The `seq` of the last event of the log, or of the thread; 0 if there is none.
    pub tip: i64,
}

/// A thread, seen from outside.
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
    /// Its name.
    pub thread_id: ThreadId,
    /// When the first thing happened in it.
    pub first_event_at: Timestamp,
    /// When the last did.
    pub last_event_at: Timestamp,
    /// The `seq` of the last event in it.
    pub last_seq: i64,
    /// How many calls it has.
    pub calls: i64,
    /// How many of them wait for people.
    pub pending: i64,
    /// How it answers what is asked.
    pub mode: Mode,
    /// When it was closed, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
}

/// Threads.
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
    /// The threads, the one that something happened in last first.
    pub threads: Vec<ThreadSummary>,
    /// The cursor of the next page; `null` at the end. A page may be short, and have a next one all the same.
    pub next: Option<i64>,
}
