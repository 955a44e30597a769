//! The question to people, as the gate shows it: what is asked, of whom, and who has spoken.

use crate::{Json, Principal, Sha256, Timestamp};
use countersign_events::event::{Basis, Decision, OnExpiry, SameCall, ShadowVerdict, SuggestedScope};
use serde::{Deserialize, Serialize};

/// The question to people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "seq": 2,
        "requestedAt": "2026-01-31T12:00:00.000Z",
        "options": ["allow_once", "allow_session", "deny"],
        "reason": "no rule matches this call",
        "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// Its event.
    pub seq: i64,
    /// When it was opened.
    pub requested_at: Timestamp,
    /// The decisions that are offered.
    pub options: Vec<Decision>,
    /// Why people are asked.
    pub reason: String,
    /// The rule that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The part of the policy that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The verdicts of shadow rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<ShadowVerdict>,
    /// The level that an approver needs by now; anybody's, if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The levels that a decision may be made at, the lowest first; only where people look at it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub available_levels: Vec<String>,
    /// The level at which it is decided if the approver names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_level: Option<String>,
    /// How many have to agree. A server that does not say so is an older one, to which one is enough.
    #[serde(default = "one")]
    pub quorum: u32,
    /// How many have to deny.
    #[serde(default = "one")]
    pub denials: u32,
    /// Who may decide: an approver is in each of the lists; anybody, if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<Vec<String>>,
    /// The votes so far, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<ApprovalVote>,
    /// When people are told once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remind_at: Option<Timestamp>,
    /// That they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminded: Option<EventMark>,
    /// When it goes to a higher level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_at: Option<Timestamp>,
    /// Which level that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_to: Option<String>,
    /// That it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated: Option<EventMark>,
    /// When it lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The decision at expiry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_expiry: Option<OnExpiry>,
    /// The number of the thread's recent calls of the same tool; only where people look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similar_operations_count: Option<usize>,
    /// The scopes in which a decision may be remembered, the narrowest first; only where people look at it. Ask for
    /// the preview of a scope to learn which calls it would have answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<SuggestedScope>,
    /// A call of the same tool with the same arguments that is allowed and has not started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_call: Option<SameCall>,
    /// The hash of the policy that asks.
    pub policy: Sha256,
}

const fn one() -> u32 {
    1
}

/// That something happened, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 5, "at": "2026-01-31T12:05:00.000Z"}))))]
#[serde(rename_all = "camelCase")]
pub struct EventMark {
    /// Its event.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
}

/// The vote of one approver, if several are needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "seq": 3,
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "decision": "allow_once",
        "counts": true
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalVote {
    /// Its event.
    pub seq: i64,
    /// Who voted.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// The vote.
    pub decision: Decision,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// At which level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How wide it is meant.
    #[serde(default, rename = "scope", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub scope: Option<Json>,
    /// The arguments as this approver changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub arguments: Option<Json>,
    /// True if it counts: a change of the arguments voids what was said before it.
    pub counts: bool,
}
