//! Deciding on several calls at once, each answered for itself.

use super::{Call, Decide, Problem, ask::word};
use crate::{CallId, Error, ThreadId};
use countersign_approvals::event::Decision;
use serde::{Deserialize, Serialize};

/// The most decisions that are taken at once.
pub const MAX_DECISIONS: usize = 1_000;

/// Decide on several calls: exactly those that were looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"decisions": [{"threadId": "t1", "id": "call_1", "decision": "allow_once"}]}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecideAll {
    /// The decisions, 1 to [`MAX_DECISIONS`].
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 1000))]
    pub decisions: Vec<DecideOne>,
}

/// Decide on one of several calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "t1", "id": "call_1", "decision": "allow_once"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecideOne {
    /// The thread of the call.
    pub thread_id: ThreadId,
    /// Its id.
    pub id: CallId,
    /// `allow_once`, `allow_session` or `deny`.
    #[serde(deserialize_with = "word")]
    pub decision: Decision,
    /// And why: the log keeps it, and a denial tells the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl DecideOne {
    /// The decision by itself.
    #[must_use]
    pub fn decide(&self) -> Decide {
        Decide { decision: self.decision, comment: self.comment.clone() }
    }
}

/// What came of each decision, in the order of the decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"results": []}))))]
#[serde(rename_all = "camelCase")]
pub struct Decided {
    /// One for each.
    pub results: Vec<DecidedOne>,
}

/// What came of one of several decisions: the call if it was taken, the problem if not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "threadId": "t1",
        "id": "call_9",
        "problem": {
            "title": "Not Found",
            "status": 404,
            "code": "unknown_call",
            "detail": "thread t1 has no call call_9"
        }
    }))))]
#[serde(rename_all = "camelCase")]
pub struct DecidedOne {
    /// The thread of the call.
    pub thread_id: ThreadId,
    /// Its id.
    pub id: CallId,
    /// The call, decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// Why it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// What came of one of several decisions, as the gate says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The thread of the call.
    pub thread_id: ThreadId,
    /// Its id.
    pub id: CallId,
    /// The call, decided, or why it was not.
    pub outcome: Result<Call, Error>,
}
