//! The question to people, what becomes of it, and the answer.

use crate::{
    Basis, Decision, DecisionChannel, DecisionProof, ErasedTexts, GrantAgents, OnExpiry, ProofRequirement,
    ShadowVerdict, Source,
};
use crate::{CallId, Json, Principal, Sha256, Timestamp, json::ArgumentChange};
use serde::{Deserialize, Serialize};

/// `TOOL_APPROVAL_REQUEST`: the standing question to people. It refers to the call and copies nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// The call it asks about.
    pub tool_call_id: CallId,
    /// The rule that asks; none if it is the policy's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why people are asked.
    pub reason: String,
    /// The decisions that are offered.
    pub options: Vec<Decision>,
    /// The policy part that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The verdicts of shadow rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<ShadowVerdict>,
    /// The level that an approver needs; absent if any level suffices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The level at which it is decided if the approver names none; `level`, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_level: Option<String>,
    /// How many approvers it takes; one, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// How many denials it takes; one, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denials: Option<u32>,
    /// Who may decide: principals and `@groups`. An approver is in each of the lists; empty means anybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<Vec<String>>,
    /// The proof that an approval needs; none, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofRequirement>,
    /// The surfaces on which it may be decided besides those that show the whole card.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decide_in: Vec<DecisionChannel>,
    /// The advisor that may answer instead of people, if the policy lets it decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisor: Option<String>,
    /// When people are told once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remind_at: Option<Timestamp>,
    /// When it goes to a higher level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_at: Option<Timestamp>,
    /// Which level that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_to: Option<String>,
    /// When the question lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The decision at expiry; `deny` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_expiry: Option<OnExpiry>,
    /// The patterns that are suggested for a remembered decision, computed when the call was proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggested_scopes: Vec<SuggestedScope>,
    /// The same call, if its approval is unused and does not move here, or if it has started and has no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_call: Option<SameCall>,
    /// The tool's definition, if no person has accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_definition: Option<ChangedDefinition>,
    /// How long the proposer may be absent before the call is withdrawn, in seconds; without it, the call waits on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdraw_after_seconds: Option<u64>,
    /// The hash of the judging policy.
    pub policy: Sha256,
}

/// A tool definition that no person has accepted, and the accepted one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "definitionHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
        "acceptedHash": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ChangedDefinition {
    /// The hash of the call's definition.
    pub definition_hash: Sha256,
    /// The hash of the last accepted definition.
    pub accepted_hash: Sha256,
}

/// The same call, proposed earlier: it is allowed and has not started, or it has started and has no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SameCall {
    /// Its id.
    pub id: CallId,
    /// The time of its approval.
    pub allowed_at: Timestamp,
    /// The time of its start, if it has started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
}

/// A policy change: the `POLICY_SET` event, and its author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 7, "principal": "user:ada"}))))]
#[serde(rename_all = "camelCase")]
pub struct PolicyChange {
    /// The event's `seq`.
    pub seq: i64,
    /// The principal that changed the policy.
    pub principal: Principal,
}

/// A setting that answered a call: its event, and the person who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 4, "principal": "user:ada"}))))]
#[serde(rename_all = "camelCase")]
pub struct AnswerSetting {
    /// The event's `seq`.
    pub seq: i64,
    /// The person who made it.
    pub principal: Principal,
}

/// A pattern that is suggested for a remembered decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"scope": {"command": "git status **"}, "says": "command `git status **`"}))))]
#[serde(rename_all = "camelCase")]
pub struct SuggestedScope {
    /// The scope, as a decision names it.
    #[cfg_attr(feature = "openapi", schema(value_type = Json))]
    pub scope: Json,
    /// The scope in words.
    pub says: String,
}

impl ApprovalRequest {
    /// When something becomes due on it first: a reminder, an escalation, its end.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        [self.remind_at, self.escalate_at, self.expires_at].into_iter().flatten().min()
    }
}

impl ApprovalResponse {
    /// Returns true if an unused approval for the same call moved here, so that a person decided this very call.
    #[must_use]
    pub fn is_moved(&self) -> bool {
        self.scope.as_ref().is_some_and(|scope| scope.as_str() == "\"once\"")
    }
}

/// `TOOL_APPROVAL_VOTE`: one approver's say where it takes several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalVote {
    /// The call it is about.
    pub tool_call_id: CallId,
    /// The vote.
    pub decision: Decision,
    /// The person in whose place the approver votes, by a delegation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<Principal>,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// At which level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The scope, as in a response.
    #[serde(default, rename = "scope", skip_serializing_if = "Option::is_none")]
    pub scope: Option<Json>,
    /// The agents to which the scope applies; the call's proposer, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<GrantAgents>,
    /// How long it is to be remembered, in seconds; until the thread is closed, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<u32>,
    /// How many later calls it is to answer; any number, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// The arguments as this approver changed them, which starts a round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// SHA-256 of the canonical form of the arguments it is about; those that were proposed, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_hash: Option<Sha256>,
    /// Which round it counts in: 0 before anybody changed the arguments, and one more with each change.
    #[serde(default)]
    pub round: u32,
    /// The proof that its approver gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<DecisionProof>,
    /// The hashes of erased content, if any was erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}

/// `TOOL_APPROVAL_REMINDER`: the request is still open, and people are reminded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalReminder {
    /// The call that waits.
    pub tool_call_id: CallId,
}

/// `TOOL_APPROVAL_TAKEN_BACK`: a person ends an approval that no executor has used. The call's result follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalTakenBack {
    /// The call that was allowed.
    pub tool_call_id: CallId,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The hashes of erased content, if any was erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}

/// `TOOL_APPROVAL_ESCALATED`: the request is still open, and now needs a higher level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalEscalation {
    /// The call that waits.
    pub tool_call_id: CallId,
    /// The level an approver needs from now on.
    pub level: String,
}

/// `TOOL_APPROVAL_RESPONSE`: the decision. Every call gets exactly one, even if no person was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResponse {
    /// The call it is about.
    pub tool_call_id: CallId,
    /// Whether it may run.
    pub decision: Decision,
    /// Where the decision came from.
    pub source: Source,
    /// The rule that decided or asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The policy part that decided, if no person was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The verdicts of shadow rules, if no person was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<ShadowVerdict>,
    /// The `seq` of the human response that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<i64>,
    /// The person in whose place the approver decided, by a delegation. With several approvers, that of the last vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<Principal>,
    /// The approver's comment, which the model receives too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The arguments as the approver changed them; none if they run as proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// Where they differ from what was proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ArgumentChange>,
    /// SHA-256 of the canonical form of what may run.
    pub arguments_hash: Sha256,
    /// The level it was decided at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How wide it is remembered: `"exact"`, `"tool"`, or a pattern. An `allow_session` without it is for the
    /// whole tool, a `deny` without it for this call. `"once"` marks an approval that moved here from an
    /// identical call.
    #[serde(default, rename = "scope", skip_serializing_if = "Option::is_none")]
    pub scope: Option<Json>,
    /// The agents whose later calls a grant answers; the call's proposer, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<GrantAgents>,
    /// When a remembered decision ends; with its thread, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// How many later calls a remembered decision answers; any number, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// The level of the person who denied calls for the session. Revoking the denial requires this level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_level: Option<String>,
    /// The proof that the approver made the decision. With several approvers, the votes have the proofs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<DecisionProof>,
    /// The surface on which the person decided, if it shows only a part of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<DecisionChannel>,
    /// The time at which an unused approval lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapses_at: Option<Timestamp>,
    /// The active policy's hash; absent on a row inserted by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Sha256>,
    /// The policy change that answered a call which people had been asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_change: Option<PolicyChange>,
    /// The setting that answered without asking people, if a person made it: the thread's mode, its own policy for the
    /// tool, or the active policy. Absent in logs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_by: Option<AnswerSetting>,
    /// When the proposer of a call that was withdrawn for its absence was last seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposer_last_seen_at: Option<Timestamp>,
    /// The hashes of erased content, if any was erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}
