//! Replay results: counts and lists of calls.

use countersign_events::{
    Basis, CallId, Json, Principal, Sha256, Source, ThreadId, Timestamp, ToolName, Verdict,
};
use serde::{Deserialize, Serialize};

/// The maximum number of calls in one list. The list keeps the calls that were proposed first; its count includes all.
pub const MAX_LISTED_CALLS: usize = 1_000;

/// A comparison between a log and another policy's verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51", "calls": 16, "masked": 0, "unsettled": 0, "then": {"asked": 12, "allowed": 3, "blocked": 0, "answered": 1}, "now": {"asked": 3, "allowed": 12, "blocked": 0, "answered": 1}, "unchanged": 7, "saved": {"allowed": 9, "blocked": 0}, "added": 0, "allowedThoughDenied": {"count": 0, "calls": []}, "blockedThoughRun": {"count": 0, "calls": []}, "askedThoughRun": {"count": 0, "calls": []}, "askedOtherwise": {"count": 0, "calls": []}, "rules": [{"rule": "list files", "basis": "rule", "verdict": "allow", "calls": 9}], "shadow": []}))))]
#[serde(rename_all = "camelCase")]
pub struct ReplayReport {
    /// The policy's hash.
    pub policy: Sha256,
    /// The number of compared calls.
    pub calls: u64,
    /// The number of calls that could not be compared, because the policy may depend on values that the log masks.
    pub masked: u64,
    /// The number of calls without an answer.
    pub unsettled: u64,
    /// The recorded answers.
    pub then: AnswerCounts,
    /// The answers under the policy.
    pub now: AnswerCounts,
    /// The number of calls with the same answer in both.
    pub unchanged: u64,
    /// Prompts that the policy avoids.
    pub saved: SavedPrompts,
    /// The number of additional prompts.
    pub added: u64,
    /// Calls that the policy allows, although they were denied, or allowed only with other arguments.
    pub allowed_though_denied: ListedCalls,
    /// Calls that ran and that the policy blocks.
    pub blocked_though_run: ListedCalls,
    /// Calls that ran without a prompt and that the policy asks about.
    pub asked_though_run: ListedCalls,
    /// Calls that people were asked about and that the policy asks about under other terms.
    pub asked_otherwise: ListedCalls,
    /// The number of calls that each rule decides, the highest first.
    pub rules: Vec<RuleDecisions>,
    /// The number of calls that each shadow rule matches.
    pub shadow: Vec<RuleDecisions>,
}

impl ReplayReport {
    /// Keeps in each list the calls whose `seq` is greater than `after`: at most `limit`, and at most as many as have
    /// `bytes` of arguments in all lists together. The counts stay.
    pub fn shorten_lists(&mut self, after: i64, limit: usize, bytes: usize) {
        let mut left = bytes;
        for list in [
            &mut self.allowed_though_denied,
            &mut self.blocked_though_run,
            &mut self.asked_though_run,
            &mut self.asked_otherwise,
        ] {
            list.calls.retain(|call| call.seq > after);
            list.calls.truncate(limit);
            let fits = |call: &&ReplayedCall| {
                let size = call.arguments.as_str().len();
                let fits = size <= left;
                left = left.saturating_sub(size);
                fits
            };
            let kept = list.calls.iter().take_while(fits).count();
            list.calls.truncate(kept);
        }
    }

    /// Returns true if any call has another answer or other approval terms.
    #[must_use]
    pub fn has_differences(&self) -> bool {
        self.unchanged != self.calls || self.asked_otherwise.count > 0
    }
}

/// Numbers of calls by kind of answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"asked": 12, "allowed": 3, "blocked": 0, "answered": 1}))))]
#[serde(rename_all = "camelCase")]
pub struct AnswerCounts {
    /// People were asked.
    pub asked: u64,
    /// The policy allowed.
    pub allowed: u64,
    /// The policy blocked.
    pub blocked: u64,
    /// The thread answered: by a grant, a remembered denial, its mode or its own policy.
    pub answered: u64,
}

/// Avoided prompts, by the verdict that replaces them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"allowed": 9, "blocked": 0}))))]
#[serde(rename_all = "camelCase")]
pub struct SavedPrompts {
    /// The policy allows.
    pub allowed: u64,
    /// The policy blocks.
    pub blocked: u64,
}

/// Calls of one kind: their number, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"count": 1, "calls": [{"seq": 2, "threadId": "t", "id": "call_1", "name": "bash", "arguments": {"command": "ls"}, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z", "then": {"by": "user:ada", "source": "approver", "comment": "not now", "denied": true}, "now": {"verdict": "allow", "basis": "rule", "rule": "list files", "reason": "the rule says so"}}]}))))]
#[serde(rename_all = "camelCase")]
pub struct ListedCalls {
    /// The number of all such calls.
    pub count: u64,
    /// The calls that were proposed first, at most [`MAX_LISTED_CALLS`].
    pub calls: Vec<ReplayedCall>,
}

/// One call, its recorded decision, and its verdict under the policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 2, "threadId": "t", "id": "call_1", "name": "bash", "arguments": {"command": "ls"}, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z", "then": {"by": "user:ada", "source": "approver", "comment": "not now", "denied": true}, "now": {"verdict": "allow", "basis": "rule", "rule": "list files", "reason": "the rule says so"}}))))]
#[serde(rename_all = "camelCase")]
pub struct ReplayedCall {
    /// The `seq` of its proposal.
    pub seq: i64,
    /// Its thread.
    pub thread_id: ThreadId,
    /// Its id.
    pub id: CallId,
    /// The tool.
    pub name: ToolName,
    /// The proposed arguments.
    pub arguments: Json,
    /// The proposer.
    pub principal: Principal,
    /// The proposal's time.
    pub at: Timestamp,
    /// The event that set the policy that judges the call; absent if one policy judges all calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_event: Option<i64>,
    /// The recorded decision.
    pub then: RecordedDecision,
    /// The policy's verdict.
    pub now: ReplayedVerdict,
}

/// The recorded decision on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"by": "user:ada", "source": "approver", "comment": "not now", "denied": true}))))]
#[serde(rename_all = "camelCase")]
pub struct RecordedDecision {
    /// The principal that decided; absent while the call waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Principal>,
    /// The decision's source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The decider's comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Whether the call was allowed with other arguments than the proposed ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// Whether the call was denied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denied: bool,
}

/// The policy's verdict on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"verdict": "allow", "basis": "rule", "rule": "list files", "reason": "the rule says so"}))))]
#[serde(rename_all = "camelCase")]
pub struct ReplayedVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// The policy part that gave the verdict.
    pub basis: Basis,
    /// The deciding rule's name, if a rule decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The reason for the verdict.
    pub reason: String,
    /// The differences between the approval terms, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
}

/// The number of calls that one part of the policy decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"rule": "list files", "basis": "rule", "verdict": "allow", "calls": 9}))))]
#[serde(rename_all = "camelCase")]
pub struct RuleDecisions {
    /// The rule's name; absent if the default or the tool's own setting decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The policy part; absent for a shadow rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The verdict.
    pub verdict: Verdict,
    /// The number of calls.
    pub calls: u64,
}
