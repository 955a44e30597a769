//! Decisions as API clients see them.

use crate::{CallId, Json, Principal, Sha256, Timestamp};
use countersign_events::{
    AnswerSetting, Basis, Decision, DecisionChannel, DecisionProof, PolicyChange, ShadowVerdict, Source,
    json::ArgumentChange,
};
use serde::{Deserialize, Serialize};

/// The decision on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "decision": "allow_once",
        "source": "approver",
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "seq": 3,
        "comment": "fine",
        "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResponse {
    /// The decision.
    pub decision: Decision,
    /// The decision's source.
    pub source: Source,
    /// The principal that decided.
    pub principal: Principal,
    /// The decision time.
    pub at: Timestamp,
    /// The event's `seq`.
    pub seq: i64,
    /// The policy rule that decided, or that asked people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The policy part that decided, if no person was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The verdicts of shadow rules, if no person was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<ShadowVerdict>,
    /// The `seq` of the earlier decision that answered this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<i64>,
    /// That earlier decision: its person, time, call and scope. An error that quotes a response leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_origin: Option<GrantOrigin>,
    /// The approver's comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The level at which the approver decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The scope in which the decision is remembered; `"once"` if an unused approval of an identical call moved here.
    #[serde(default, rename = "scope", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub scope: Option<Json>,
    /// The changes that an approver made to the arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ArgumentChange>,
    /// A note for the model, to be sent with the result: a person changed the call's arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The proof that the approver made the decision. With several approvers, each vote has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<DecisionProof>,
    /// The surface on which the person decided, if it shows only a part of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<DecisionChannel>,
    /// The person in whose place the principal decided, by a delegation. With several approvers, that of the last vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<Principal>,
    /// When a remembered decision ends, as it was decided; absent if it ends with its thread. A person may have prolonged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The number of later calls that a remembered decision answers, as it was decided; absent for any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// The time at which the approval lapses if it is unused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapses_at: Option<Timestamp>,
    /// The hash of the active policy at the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Sha256>,
    /// The policy change that answered the call while it waited for people, and its author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_change: Option<PolicyChange>,
    /// The setting that answered without asking people, if a person made it: the thread's mode, its own policy for the tool, or the
    /// active policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_by: Option<AnswerSetting>,
    /// The last time at which the proposer was seen, if the call was withdrawn because it was gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposer_last_seen_at: Option<Timestamp>,
}

impl ApprovalResponse {
    /// Who decided, and in whose place, for a sentence.
    #[must_use]
    pub fn decider(&self) -> String {
        self.principal.describe_decider(self.on_behalf_of.as_ref())
    }

    /// The person who decided, or who is behind the answer of a grant, a mode, a thread policy or a rule.
    #[must_use]
    pub fn person(&self) -> Option<&Principal> {
        let decided = (self.source == Source::Approver).then_some(&self.principal);
        let set = self.set_by.as_ref().map(|set| &set.principal);
        let changed = self.policy_change.as_ref().map(|change| &change.principal);
        decided.or(self.grant_origin.as_ref().map(|origin| &origin.principal)).or(set).or(changed)
    }
}

/// A person's earlier decision that answered a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "toolCallId": "call_1",
        "decision": "allow_session",
        "scope": "tool",
        "says": "the whole tool"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct GrantOrigin {
    /// The person who decided.
    pub principal: Principal,
    /// The decision time.
    pub at: Timestamp,
    /// The call on which the person decided.
    pub tool_call_id: CallId,
    /// The decision.
    pub decision: Decision,
    /// Its scope: `"exact"`, `"tool"` or a pattern; `"once"` if it was for one call.
    #[serde(rename = "scope")]
    pub scope: Json,
    /// The scope description.
    pub says: String,
}
