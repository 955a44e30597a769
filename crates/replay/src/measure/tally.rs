//! Counts advisor answers.

use super::{
    HumanDecision,
    measurement::{
        AdvisorMeasurement, AnswerTimes, AnsweredPrompts, CaseCounts, ListedMistakes, MeasuredMistake,
        NamedCaseCounts,
    },
};
use crate::MAX_LISTED_CALLS;
use countersign_approvals::Call;
use countersign_events::{AdviceFailure, AdviceTokens, AdviceVerdict, ApprovalAdvice};
use std::collections::{BTreeMap, HashMap};

/// An advisor answer to the question about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredAnswer {
    /// The answer.
    pub advice: AdviceVerdict,
    /// The reason why there is no valid answer. The advice is then `ask`.
    pub failure: Option<AdviceFailure>,
    /// The reason that the advisor gave.
    pub reason: Option<String>,
    /// The time from the question to the answer.
    pub elapsed_millis: u64,
    /// The tokens that the advisor counted.
    pub tokens: Option<AdviceTokens>,
    /// Whether the answer to an earlier equal question was used.
    pub cached: bool,
}

impl From<&ApprovalAdvice> for MeasuredAnswer {
    fn from(advice: &ApprovalAdvice) -> Self {
        Self {
            advice: advice.advice,
            failure: advice.failure,
            reason: advice.reason.clone(),
            elapsed_millis: advice.elapsed_millis,
            tokens: advice.tokens,
            cached: advice.cached,
        }
    }
}

/// Counts the answers of one advisor to calls that people decided. The calls may come in any order.
#[derive(Debug, Default)]
pub struct AdvisorTally {
    total: CaseCounts,
    saved: AnsweredPrompts,
    failures: BTreeMap<&'static str, u64>,
    millis: Vec<u64>,
    tokens: Option<AdviceTokens>,
    false_allows: MistakeList,
    false_denials: MistakeList,
    tools: HashMap<Option<String>, CaseCounts>,
    rules: HashMap<Option<String>, CaseCounts>,
}

impl AdvisorTally {
    /// Counts the answer to the question about a call. Returns false if no person decided the call, so that the answer
    /// is not counted.
    pub fn add_answer(&mut self, call: &Call, answer: &MeasuredAnswer) -> bool {
        let Some(decision) = HumanDecision::from_call(call) else { return false };
        let tool = Some(call.proposal.what.name.as_str().to_owned());
        let rule = call.request().and_then(|request| request.what.rule.clone());
        let counts =
            [&mut self.total, self.tools.entry(tool).or_default(), self.rules.entry(rule).or_default()];
        for counts in counts {
            counts.count(decision, answer.advice, answer.failure);
        }
        self.count_costs(answer);
        match (decision, answer.advice) {
            (HumanDecision::Denied | HumanDecision::Changed, AdviceVerdict::Allow) => {
                self.false_allows.add(measured_mistake(call, decision, answer));
            }
            (HumanDecision::Allowed, AdviceVerdict::Deny) => {
                self.false_denials.add(measured_mistake(call, decision, answer));
            }
            _ => {}
        }
        true
    }

    fn count_costs(&mut self, answer: &MeasuredAnswer) {
        match answer.advice {
            AdviceVerdict::Allow => self.saved.allow += 1,
            AdviceVerdict::Deny => self.saved.deny += 1,
            AdviceVerdict::Ask | AdviceVerdict::Other => {}
        }
        if let Some(failure) = answer.failure {
            *self.failures.entry(failure.as_str()).or_default() += 1;
        }
        // An answer from memory took no time and no tokens.
        if answer.cached {
            return;
        }
        self.millis.push(answer.elapsed_millis);
        if let Some(AdviceTokens { input, output }) = answer.tokens {
            let sum = self.tokens.get_or_insert(AdviceTokens { input: 0, output: 0 });
            sum.input = sum.input.saturating_add(input);
            sum.output = sum.output.saturating_add(output);
        }
    }

    /// Returns the result.
    #[must_use]
    pub fn measurement(self) -> AdvisorMeasurement {
        AdvisorMeasurement {
            total: self.total,
            saved: self.saved,
            failures: self.failures,
            times: AnswerTimes::from_millis(self.millis),
            tokens: self.tokens,
            false_allows_listed: self.false_allows.into_listed(),
            false_denials_listed: self.false_denials.into_listed(),
            tools: named_counts(self.tools),
            rules: named_counts(self.rules),
        }
    }
}

/// The counts by number of calls, the highest first, then by name.
fn named_counts(counts: HashMap<Option<String>, CaseCounts>) -> Vec<NamedCaseCounts> {
    let mut rows: Vec<_> =
        counts.into_iter().map(|(name, counts)| NamedCaseCounts { name, counts }).collect();
    rows.sort_by(|a, b| b.counts.calls.cmp(&a.counts.calls).then_with(|| a.name.cmp(&b.name)));
    rows
}

/// The mistakes of one kind with the lowest `seq`.
#[derive(Debug, Default)]
struct MistakeList {
    count: u64,
    calls: BTreeMap<i64, MeasuredMistake>,
}

impl MistakeList {
    fn add(&mut self, mistake: MeasuredMistake) {
        self.count += 1;
        self.calls.insert(mistake.seq, mistake);
        if self.calls.len() > MAX_LISTED_CALLS {
            self.calls.pop_last();
        }
    }

    fn into_listed(self) -> ListedMistakes {
        ListedMistakes { count: self.count, calls: self.calls.into_values().collect() }
    }
}

fn measured_mistake(call: &Call, decision: HumanDecision, answer: &MeasuredAnswer) -> MeasuredMistake {
    let proposed = &call.proposal;
    let response = call.response();
    MeasuredMistake {
        seq: proposed.seq,
        thread_id: call.thread_id.clone(),
        id: proposed.what.id.clone(),
        name: proposed.what.name.clone(),
        arguments: proposed.what.arguments.clone(),
        principal: proposed.by.clone(),
        at: proposed.at,
        rule: call.request().and_then(|request| request.what.rule.clone()),
        decision,
        decided_by: response.map_or_else(|| proposed.by.clone(), |response| response.by.clone()),
        comment: response.and_then(|response| response.what.comment.clone()),
        advice: answer.advice,
        reason: answer.reason.clone(),
    }
}
