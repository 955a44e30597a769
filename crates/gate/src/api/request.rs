//! The question to people, as the gate shows it: what is asked, of whom, and who has spoken.

use super::Reach;
use crate::{Json, Principal, Sha256, Timestamp};
use countersign_approvals::{Call, call::Fact};
use countersign_events::event::{self, Basis, Decision, OnExpiry, Shadow};
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
pub struct Request {
    /// Its event.
    pub seq: i64,
    /// When it was opened.
    pub requested_at: Timestamp,
    /// What may be answered.
    pub options: Vec<Decision>,
    /// Why people are asked.
    pub reason: String,
    /// The rule that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What of the policy asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What shadow rules would have said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<Shadow>,
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
    /// What approvers have said so far, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
    /// When people are told once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remind_at: Option<Timestamp>,
    /// That they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminded: Option<Happened>,
    /// When it goes to a higher level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_at: Option<Timestamp>,
    /// Which level that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_to: Option<String>,
    /// That it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated: Option<Happened>,
    /// When it lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What becomes of it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_expiry: Option<OnExpiry>,
    /// How many of the thread's last calls, as many as `wouldAlsoMatch` looks at, were of the same tool; only where
    /// people look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similar_operations_count: Option<usize>,
    /// How far each width would reach, the narrowest first; only where people look at it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub would_also_match: Vec<Reach>,
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
pub struct Happened {
    /// Its event.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
}

/// What one approver said, where it takes several.
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
pub struct Vote {
    /// Its event.
    pub seq: i64,
    /// Who voted.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// What was said.
    pub decision: Decision,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// At which level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How wide it is meant.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub matches: Option<Json>,
    /// The arguments as this approver changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub arguments: Option<Json>,
    /// Whether it counts: a change of the arguments voids what was said before it.
    pub counts: bool,
}

impl Request {
    pub(super) fn of(call: &Call) -> Option<Self> {
        let fact = call.request()?;
        let (asked, round) = (&fact.what, call.course.round());
        Some(Self {
            seq: fact.seq,
            requested_at: fact.at,
            options: asked.options.clone(),
            reason: asked.reason.clone(),
            rule: asked.rule.clone(),
            basis: asked.basis,
            shadow: asked.shadow.clone(),
            level: call.level().map(str::to_owned),
            available_levels: Vec::new(),
            default_level: asked.default_level.clone(),
            quorum: asked.quorum.unwrap_or(1),
            denials: asked.denials.unwrap_or(1),
            approvers: asked.approvers.clone(),
            votes: call.course.votes.iter().map(|vote| Vote::of(vote, round)).collect(),
            remind_at: asked.remind_at,
            reminded: call.course.reminder.as_ref().map(Happened::of),
            escalate_at: asked.escalate_at,
            escalate_to: asked.escalate_to.clone(),
            escalated: call.course.escalation.as_ref().map(Happened::of),
            expires_at: asked.expires_at,
            on_expiry: asked.on_expiry,
            similar_operations_count: None,
            would_also_match: Vec::new(),
            policy: asked.policy,
        })
    }
}

impl Happened {
    fn of<T>(fact: &Fact<T>) -> Self {
        Self { seq: fact.seq, at: fact.at }
    }
}

impl Vote {
    pub(crate) fn of(vote: &Fact<event::Vote>, round: u32) -> Self {
        Self {
            seq: vote.seq,
            principal: vote.by.clone(),
            at: vote.at,
            decision: vote.what.decision,
            comment: vote.what.comment.clone(),
            level: vote.what.level.clone(),
            matches: vote.what.matches.clone(),
            arguments: vote.what.arguments.clone(),
            counts: vote.what.round == round,
        }
    }
}
