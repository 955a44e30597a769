//! Counting what a replay finds.

use super::{
    report::{AnswerCounts, LISTED, ListedCalls, ReplayedCall, RuleDecisions},
    then::PastAnswer,
};
use countersign_events::event::{Basis, Verdict};
use countersign_policy::Judgement;
use std::collections::{BTreeMap, HashMap, HashSet};

/// How a call would have been answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplayedAnswer {
    Asked,
    Allowed,
    Blocked,
    /// As the thread answered it.
    Answered,
}

impl AnswerCounts {
    pub(super) fn count_then(&mut self, then: PastAnswer) {
        match then {
            PastAnswer::Asked => self.asked += 1,
            PastAnswer::Allowed => self.allowed += 1,
            PastAnswer::Blocked => self.blocked += 1,
            PastAnswer::Answered => self.answered += 1,
            PastAnswer::Unsettled => {}
        }
    }

    pub(super) fn count(&mut self, now: ReplayedAnswer) {
        match now {
            ReplayedAnswer::Asked => self.asked += 1,
            ReplayedAnswer::Allowed => self.allowed += 1,
            ReplayedAnswer::Blocked => self.blocked += 1,
            ReplayedAnswer::Answered => self.answered += 1,
        }
    }
}

pub(super) fn is_the_same(then: PastAnswer, now: ReplayedAnswer) -> bool {
    matches!(
        (then, now),
        (PastAnswer::Asked, ReplayedAnswer::Asked)
            | (PastAnswer::Allowed, ReplayedAnswer::Allowed)
            | (PastAnswer::Blocked, ReplayedAnswer::Blocked)
            | (PastAnswer::Answered, ReplayedAnswer::Answered)
    )
}

/// The first calls of one kind, by the order of the log, however they come.
#[derive(Debug, Default)]
pub(super) struct CaseList {
    count: u64,
    calls: BTreeMap<i64, ReplayedCall>,
}

impl CaseList {
    pub(super) fn add(&mut self, case: ReplayedCall) {
        self.count += 1;
        self.calls.insert(case.seq, case);
        if self.calls.len() > LISTED {
            self.calls.pop_last();
        }
    }

    pub(super) fn listed(self) -> ListedCalls {
        ListedCalls { count: self.count, calls: self.calls.into_values().collect() }
    }
}

/// How often each rule decided.
#[derive(Debug, Default)]
pub(super) struct RuleTally {
    decided: HashMap<(Option<String>, Option<Basis>, Verdict), u64>,
}

impl RuleTally {
    pub(super) fn count(&mut self, judgement: &Judgement) {
        self.add(judgement.rule.clone(), Some(judgement.basis), judgement.verdict);
    }

    pub(super) fn count_shadow(&mut self, judgement: &Judgement) {
        for shadow in &judgement.shadow {
            self.add(Some(shadow.rule.clone()), None, shadow.verdict);
        }
    }

    fn add(&mut self, rule: Option<String>, basis: Option<Basis>, verdict: Verdict) {
        *self.decided.entry((rule, basis, verdict)).or_default() += 1;
    }

    /// The busiest first, and else by name.
    pub(super) fn decided(self) -> Vec<RuleDecisions> {
        let rows = self.decided.into_iter();
        let mut rows: Vec<_> = rows
            .map(|((rule, basis, verdict), calls)| RuleDecisions { rule, basis, verdict, calls })
            .collect();
        let word = |row: &RuleDecisions| row.basis.map(Basis::as_str);
        rows.sort_by(|a, b| {
            let order = b.calls.cmp(&a.calls).then_with(|| a.rule.cmp(&b.rule));
            order.then_with(|| word(a).cmp(&word(b))).then_with(|| a.verdict.cmp(&b.verdict))
        });
        rows
    }
}

/// Grants that would not have been given, and the calls that they answered.
#[derive(Debug, Default)]
pub(super) struct GrantTally {
    not_given: HashSet<i64>,
    answered: HashSet<i64>,
}

impl GrantTally {
    /// The decision at `seq` would not have been made: nobody would have been asked.
    pub(super) fn not_given(&mut self, seq: i64) {
        self.not_given.insert(seq);
    }

    /// The decision at `seq` answered a call that would still be asked about.
    pub(super) fn answered(&mut self, seq: i64) {
        self.answered.insert(seq);
    }

    /// How many calls would have reached people, because what answered them would not have been there: the
    /// first of each, as its answer would have answered the rest.
    pub(super) fn missed(&self) -> u64 {
        u64::try_from(self.answered.intersection(&self.not_given).count()).unwrap_or(u64::MAX)
    }
}
