//! Counters for a replay.

use super::{
    past_answer::PastAnswer,
    report::{AnswerCounts, ListedCalls, MAX_LISTED_CALLS, ReplayedCall, RuleDecisions},
};
use countersign_events::{Basis, Verdict};
use countersign_policy::Judgement;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The answer to a call under the replayed policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplayedAnswer {
    Asked,
    Allowed,
    Blocked,
    /// The thread's recorded answer applies.
    Answered,
}

impl AnswerCounts {
    pub(super) fn count_past(&mut self, then: PastAnswer) {
        match then {
            PastAnswer::Asked => self.asked += 1,
            PastAnswer::Allowed => self.allowed += 1,
            PastAnswer::Blocked => self.blocked += 1,
            PastAnswer::Answered => self.answered += 1,
            PastAnswer::Unsettled => {}
        }
    }

    pub(super) fn count_replayed(&mut self, now: ReplayedAnswer) {
        match now {
            ReplayedAnswer::Asked => self.asked += 1,
            ReplayedAnswer::Allowed => self.allowed += 1,
            ReplayedAnswer::Blocked => self.blocked += 1,
            ReplayedAnswer::Answered => self.answered += 1,
        }
    }
}

pub(super) fn is_same_answer(then: PastAnswer, now: ReplayedAnswer) -> bool {
    matches!(
        (then, now),
        (PastAnswer::Asked, ReplayedAnswer::Asked)
            | (PastAnswer::Allowed, ReplayedAnswer::Allowed)
            | (PastAnswer::Blocked, ReplayedAnswer::Blocked)
            | (PastAnswer::Answered, ReplayedAnswer::Answered)
    )
}

/// The calls of one kind with the lowest `seq`. They may be added in any order.
#[derive(Debug, Default)]
pub(super) struct CaseList {
    count: u64,
    calls: BTreeMap<i64, ReplayedCall>,
}

impl CaseList {
    pub(super) fn add_call(&mut self, call: ReplayedCall) {
        self.count += 1;
        self.calls.insert(call.seq, call);
        if self.calls.len() > MAX_LISTED_CALLS {
            self.calls.pop_last();
        }
    }

    pub(super) fn into_listed(self) -> ListedCalls {
        ListedCalls { count: self.count, calls: self.calls.into_values().collect() }
    }
}

/// The number of calls that each rule decided.
#[derive(Debug, Default)]
pub(super) struct RuleTally {
    decided: HashMap<(Option<String>, Option<Basis>, Verdict), u64>,
}

impl RuleTally {
    pub(super) fn count_deciding(&mut self, judgement: &Judgement) {
        self.add_decision(judgement.rule.clone(), Some(judgement.basis), judgement.verdict);
    }

    pub(super) fn count_shadow(&mut self, judgement: &Judgement) {
        for shadow in &judgement.shadow {
            self.add_decision(Some(shadow.rule.clone()), None, shadow.verdict);
        }
    }

    fn add_decision(&mut self, rule: Option<String>, basis: Option<Basis>, verdict: Verdict) {
        *self.decided.entry((rule, basis, verdict)).or_default() += 1;
    }

    /// The rows by number of calls, the highest first, then by name.
    pub(super) fn into_rows(self) -> Vec<RuleDecisions> {
        let rows = self.decided.into_iter();
        let mut rows: Vec<_> = rows
            .map(|((rule, basis, verdict), calls)| RuleDecisions { rule, basis, verdict, calls })
            .collect();
        let basis = |row: &RuleDecisions| row.basis.map(Basis::as_str);
        rows.sort_by(|a, b| {
            let order = b.calls.cmp(&a.calls).then_with(|| a.rule.cmp(&b.rule));
            order.then_with(|| basis(a).cmp(&basis(b))).then_with(|| a.verdict.cmp(&b.verdict))
        });
        rows
    }
}

/// Grants that would not exist under the policy, and the grants that calls still depend on. A grant is identified by
/// the `seq` of its decision.
#[derive(Debug, Default)]
pub(super) struct GrantTally {
    missing: HashSet<i64>,
    used: HashSet<i64>,
}

impl GrantTally {
    /// Records that the decision at `seq` would not exist, because the policy does not ask about its call.
    pub(super) fn add_missing_grant(&mut self, seq: i64) {
        self.missing.insert(seq);
    }

    /// Records that the grant at `seq` answered a call that the policy still asks about.
    pub(super) fn add_granted_call(&mut self, seq: i64) {
        self.used.insert(seq);
    }

    /// The number of additional prompts from missing grants. It counts one call for each grant, because the answer to
    /// the first prompt would replace the grant for the others.
    pub(super) fn count_missing(&self) -> u64 {
        u64::try_from(self.used.intersection(&self.missing).count()).unwrap_or(u64::MAX)
    }
}
