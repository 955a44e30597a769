//! Measurement results.

use super::HumanDecision;
use countersign_events::{
    AdviceFailure, AdviceTokens, AdviceVerdict, CallId, Json, Principal, ThreadId, Timestamp, ToolName,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// A comparison of advisor answers with human decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdvisorMeasurement {
    /// The counts of all calls.
    #[serde(flatten)]
    pub total: CaseCounts,
    /// The prompts that the advisor would have answered.
    pub saved: AnsweredPrompts,
    /// The number of failures of each code.
    pub failures: BTreeMap<&'static str, u64>,
    /// The answers' times; absent if the advisor was never asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<AnswerTimes>,
    /// The tokens of all answers, if the advisor counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<AdviceTokens>,
    /// The calls that the advisor would allow and that a person denied, or allowed only with other arguments.
    pub false_allows_listed: ListedMistakes,
    /// The calls that the advisor would deny and that a person allowed.
    pub false_denials_listed: ListedMistakes,
    /// The counts of each tool, the tool with the most calls first.
    pub tools: Vec<NamedCaseCounts>,
    /// The counts of each rule that asked, the rule with the most calls first. The policy's default has no name.
    pub rules: Vec<NamedCaseCounts>,
}

/// The counts of calls that a person decided and that an advisor was asked about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseCounts {
    /// All calls: the cases, and the changed calls that are no cases.
    pub calls: u64,
    /// The sum of `agreed`, `false_allows`, `false_denials` and `asked`.
    pub cases: u64,
    /// The advisor and the person decided alike.
    pub agreed: u64,
    /// The advisor would allow a call that the person denied, or allowed only with other arguments.
    pub false_allows: u64,
    /// The advisor would deny a call that the person allowed as proposed.
    pub false_denials: u64,
    /// The advisor left the call to people.
    pub asked: u64,
    /// The part of `asked` on which the advisor failed to answer.
    pub failed: u64,
    /// The decisions of people by the advisor's answers.
    pub table: ConfusionTable,
}

/// The answers of an advisor, by the human decisions on the same calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfusionTable {
    /// The calls that a person allowed as proposed.
    pub allowed: AnswerRow,
    /// The calls that a person denied.
    pub denied: AnswerRow,
    /// The calls that a person allowed with other arguments. The person neither allowed nor denied what was proposed, so
    /// such a call is a case only if the advisor would allow it: that is a false allow.
    pub changed: AnswerRow,
}

/// The numbers of answers of one row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRow {
    /// The advisor would allow.
    pub allow: u64,
    /// The advisor would deny.
    pub deny: u64,
    /// The advisor left the call to people.
    pub ask: u64,
}

/// The prompts that an advisor would have answered instead of people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredPrompts {
    /// The calls that it would allow.
    pub allow: u64,
    /// The calls that it would deny.
    pub deny: u64,
}

/// The times of answers in milliseconds. Answers from memory are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerTimes {
    /// Half of the answers took at most this long.
    pub median_ms: u64,
    /// 95 % of the answers took at most this long.
    pub p95_ms: u64,
    /// The longest time.
    pub max_ms: u64,
    /// The time of all answers together.
    pub total_ms: u64,
}

/// The counts of one tool or rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedCaseCounts {
    /// The tool name or rule name. Absent for the policy default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The counts.
    #[serde(flatten)]
    pub counts: CaseCounts,
}

/// The mistakes of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedMistakes {
    /// The number of all such calls.
    pub count: u64,
    /// The calls that were proposed first, at most [`MAX_LISTED_CALLS`](crate::MAX_LISTED_CALLS).
    pub calls: Vec<MeasuredMistake>,
}

/// A call on which an advisor contradicted a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MeasuredMistake {
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
    /// The rule that asked; absent for the policy's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The person's decision.
    pub decision: HumanDecision,
    /// The person.
    pub decided_by: Principal,
    /// The person's comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The advisor's answer.
    pub advice: AdviceVerdict,
    /// The reason that the advisor gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl CaseCounts {
    /// The cases that the advisor would have answered.
    #[must_use]
    pub const fn answered(&self) -> u64 {
        self.cases.saturating_sub(self.asked)
    }

    pub(super) fn count(
        &mut self,
        decision: HumanDecision,
        advice: AdviceVerdict,
        failure: Option<AdviceFailure>,
    ) {
        self.calls += 1;
        let row = match decision {
            HumanDecision::Allowed => &mut self.table.allowed,
            HumanDecision::Denied => &mut self.table.denied,
            HumanDecision::Changed => &mut self.table.changed,
        };
        let (cell, count) = match (decision, advice) {
            (HumanDecision::Allowed, AdviceVerdict::Allow) => (&mut row.allow, Some(&mut self.agreed)),
            (HumanDecision::Denied, AdviceVerdict::Deny) => (&mut row.deny, Some(&mut self.agreed)),
            (_, AdviceVerdict::Allow) => (&mut row.allow, Some(&mut self.false_allows)),
            (HumanDecision::Allowed, AdviceVerdict::Deny) => (&mut row.deny, Some(&mut self.false_denials)),
            (HumanDecision::Changed, AdviceVerdict::Deny) => (&mut row.deny, None),
            (HumanDecision::Changed, _) => (&mut row.ask, None),
            // A keyword from a newer version answers nothing.
            (_, AdviceVerdict::Ask | AdviceVerdict::Other) => (&mut row.ask, Some(&mut self.asked)),
        };
        *cell += 1;
        if let Some(count) = count {
            *count += 1;
            self.cases += 1;
            self.failed += u64::from(failure.is_some());
        }
    }
}

impl AnswerTimes {
    /// The times of these answers; `None` if there are none.
    pub(super) fn from_millis(mut millis: Vec<u64>) -> Option<Self> {
        millis.sort_unstable();
        let max_ms = *millis.last()?;
        // The nearest rank: the smallest time that at least this share of the answers did not exceed.
        let rank = |percent: usize| millis[(millis.len() * percent).div_ceil(100).max(1) - 1];
        let total_ms = millis.iter().fold(0_u64, |sum, next| sum.saturating_add(*next));
        Some(Self { median_ms: rank(50), p95_ms: rank(95), max_ms, total_ms })
    }
}
