//! The review of one day: what was asked, and which rules would have made prompts needless.

use crate::{
    AnalysisExtent, CallId, Json, Principal, Sha256, ThreadId, Timestamp, ToolName, utc_offset::UtcOffset,
};
use serde::{Deserialize, Serialize};

/// A request for the review of one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DailyQuery {
    /// The offset from UTC at which the day begins.
    pub days_at: UtcOffset,
    /// The day's number, as [`UtcOffset::day_of`] returns it; yesterday if absent.
    pub day: Option<i64>,
}

/// The review of one day. The rules extend the active policy, which judged all calls again, with and without them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "log": {"complete": true, "fromSeq": 1, "throughSeq": 912, "unreadable": 0},
        "date": "2026-01-30", "since": "2026-01-01T00:00:00.000Z",
        "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51",
        "calls": 214, "asked": 9, "askedAllowed": 9, "askedDenied": 0, "saved": 0, "refused": 3, "rules": [], "withheld": [],
        "observed": 0, "wouldAsk": []
    }))))]
#[serde(rename_all = "camelCase")]
pub struct DailyReview {
    /// The log range that was read for the rules.
    pub log: AnalysisExtent,
    /// The day, at the offset from UTC that the request names.
    pub date: String,
    /// The time from which calls count as evidence for a rule, or against it.
    pub since: Timestamp,
    /// The active policy's hash. Accepting a rule names it.
    pub policy: Sha256,
    /// Calls that were proposed on the day.
    pub calls: u64,
    /// Those of them that people were asked about.
    pub asked: u64,
    /// Those of them that people allowed.
    pub asked_allowed: u64,
    /// Those of them that people denied.
    pub asked_denied: u64,
    /// The prompts of the day that the rules together would have saved.
    pub saved: u64,
    /// The refused calls since `since` that the active policy and the rules together judged. They allow none of them.
    pub refused: u64,
    /// The rules; the one that saves the most prompts comes first.
    pub rules: Vec<DailyRule>,
    /// Rules that are not offered, because they would also have allowed refused calls; at most 5.
    pub withheld: Vec<WithheldRule>,
    /// Calls of the day that ran only because the policy observes, and that it would otherwise have asked about.
    pub observed: u64,
    /// The same calls by tool and rule, the most frequent first; at most 20.
    pub would_ask: Vec<ObservedCalls>,
}

/// A rule that would have saved prompts of the day, with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"name": "suggested: bash, command `git status **`", "tool": "bash", "toml": "[[rule]]\nname = \"suggested: bash, command `git status **`\"\ntool = \"bash\"\nprincipal = \"agent:builder\"\ncommand = \"git status **\"\nverdict = \"allow\"\n", "saves": 4, "prompts": 23, "arguments": 9, "threads": 4, "people": ["user:ada"], "first": "2026-01-01T12:00:00.000Z", "last": "2026-01-31T12:00:00.000Z", "nearMisses": 1, "suchAs": ["{\"command\":\"git push\"} (denied by user:ada)"], "calls": []}))))]
#[serde(rename_all = "camelCase")]
pub struct DailyRule {
    /// The rule's name.
    pub name: String,
    /// The tool.
    pub tool: ToolName,
    /// The rule in policy TOML.
    pub toml: String,
    /// The prompts of the day that this rule saves beyond those before it.
    pub saves: u64,
    /// The number of prompts since `since` that the rule would have saved.
    pub prompts: u64,
    /// The number of different arguments in these prompts.
    pub arguments: u64,
    /// The number of threads with these prompts.
    pub threads: u64,
    /// The people who allowed the calls.
    pub people: Vec<String>,
    /// When the first prompt occurred.
    pub first: Timestamp,
    /// When the last prompt occurred.
    pub last: Timestamp,
    /// The number of refused calls of the tool; the rule allows none of them.
    pub near_misses: u64,
    /// The first refused calls, with the reasons.
    pub such_as: Vec<String>,
    /// Calls of the day that the rule would have allowed; at most 20.
    pub calls: Vec<ReviewedCall>,
}

/// A call of the day, with its repetitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "t1", "id": "call_1", "principal": "agent:builder", "arguments": {"command": "git status -s"}, "calls": 3}))))]
#[serde(rename_all = "camelCase")]
pub struct ReviewedCall {
    /// The first call's thread.
    pub thread_id: ThreadId,
    /// The first call's id.
    pub id: CallId,
    /// The proposer.
    pub principal: Principal,
    /// The arguments, without secrets.
    pub arguments: Json,
    /// The number of calls with this tool, proposer, place and arguments.
    pub calls: u64,
}

/// A rule that is not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"name": "suggested: bash, command `git log **`", "wouldSave": 4, "refused": 1, "suchAs": ["{\"command\":\"git log -p\"} (denied by user:ada)"]}))))]
#[serde(rename_all = "camelCase")]
pub struct WithheldRule {
    /// The name that the rule would have.
    pub name: String,
    /// The prompts of the day that it would have saved.
    pub would_save: u64,
    /// The refused calls that it would have allowed.
    pub refused: u64,
    /// The first of these calls, with the reasons.
    pub such_as: Vec<String>,
}

/// Calls that ran because the policy only observes, and that one rule would otherwise have asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"tool": "bash", "rule": "default", "calls": 12, "example": {"threadId": "t1", "id": "call_1", "principal": "agent:builder", "arguments": {"command": "git push"}, "calls": 2}}))))]
#[serde(rename_all = "camelCase")]
pub struct ObservedCalls {
    /// The tool.
    pub tool: ToolName,
    /// The rule that would have asked; `default` if no rule matched.
    pub rule: String,
    /// The number of calls.
    pub calls: u64,
    /// The first of them.
    pub example: ReviewedCall,
}
