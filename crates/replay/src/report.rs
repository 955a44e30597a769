//! What a replay found, in numbers and call by call.

use countersign_events::{
    CallId, Json, Principal, Sha256, ThreadId, Timestamp, ToolName,
    event::{Basis, Source, Verdict},
};
use serde::{Deserialize, Serialize};

/// How many calls of one kind are listed, the first that were proposed; all of them are counted.
pub const LISTED: usize = 1_000;

/// What another policy would have made of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayReport {
    /// The hash of that policy.
    pub policy: Sha256,
    /// How many calls could be compared.
    pub calls: u64,
    /// How many could not, because what the policy looks at may be masked in the log.
    pub masked: u64,
    /// How many had not been answered at all.
    pub unsettled: u64,
    /// How calls were answered.
    pub then: AnswerCounts,
    /// How they would have been.
    pub now: AnswerCounts,
    /// How many would have been answered in the same way.
    pub unchanged: u64,
    /// Prompts that people would have been spared.
    pub saved: SavedPrompts,
    /// Prompts that people would have got besides.
    pub added: u64,
    /// What somebody denied, or allowed only with other arguments, and this policy allows.
    pub allowed_though_denied: ListedCalls,
    /// What ran, and this policy blocks.
    pub blocked_though_run: ListedCalls,
    /// What ran without anybody being asked, and this policy asks about.
    pub asked_though_run: ListedCalls,
    /// What people were asked about, and this policy asks others, more of them or fewer.
    pub asked_otherwise: ListedCalls,
    /// How often each rule would have decided, the busiest first.
    pub rules: Vec<RuleDecisions>,
    /// How often each shadow rule would have matched.
    pub shadow: Vec<RuleDecisions>,
}

impl ReplayReport {
    /// Whether any call would have been answered in another way, or other people been asked.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.unchanged != self.calls || self.asked_otherwise.count > 0
    }
}

/// How many calls were answered how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// Prompts that are saved, by what comes instead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedPrompts {
    /// The policy allows.
    pub allowed: u64,
    /// The policy blocks.
    pub blocked: u64,
}

/// Calls of one kind: how many there are, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCalls {
    /// How many.
    pub count: u64,
    /// The first, [`LISTED`] at most.
    pub calls: Vec<ReplayedCall>,
}

/// One call, what became of it, and what would have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What was proposed.
    pub arguments: Json,
    /// Who proposed it.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// What was decided then.
    pub then: RecordedDecision,
    /// What the policy says.
    pub now: ReplayedVerdict,
}

/// What was decided on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedDecision {
    /// Who decided; nobody, while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Principal>,
    /// Where the decision came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Whether it was allowed with other arguments than were proposed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// Whether it was denied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denied: bool,
}

/// What the policy says of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayedVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// What of the policy decided.
    pub basis: Basis,
    /// The rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// In which terms the question would have differed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
}

/// How often something of the policy decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleDecisions {
    /// The rule; none for the default and the tool's own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What it is; absent for a shadow rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// Its verdict.
    pub verdict: Verdict,
    /// How many calls.
    pub calls: u64,
}
