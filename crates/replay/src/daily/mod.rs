//! Reviews one day: counts what people were asked, and finds suggested rules that would have made prompts needless. The
//! policy itself judges each call again, with and without the rules.

mod day;
mod offer;
mod prompt;

pub use day::{DayCounts, DayReview, DaySpan, ObservedPrompts};
pub use offer::{OfferedRule, RejectedRule};
pub use prompt::DayPrompt;

use crate::{
    RuleSuggester, SuggestionOptions, past_answer,
    suggest::{PolicyView, RefusedCall},
};
use countersign_approvals::Call;
use countersign_events::{Principal, Source, ToolName, Verdict};
use countersign_policy::Policy;
use offer::RuleOffer;
use prompt::PromptList;
use std::{cmp::Reverse, collections::BTreeMap};

/// The fewest prompts since the start of the evidence from which a rule is offered. A person reviews the rules once a
/// day, so fewer are enough than for a list of suggestions.
const AT_LEAST: u64 = 3;

/// The most rows of [`DayReview::would_ask`].
const MAX_OBSERVED: usize = 20;

/// Collects the calls since the start of the evidence, of which those of one day are reviewed.
#[derive(Debug)]
pub struct DayReviewer {
    policy: Policy,
    day: DaySpan,
    counts: DayCounts,
    suggester: RuleSuggester,
    /// The day's prompts that people could be spared.
    prompts: PromptList,
    refused: PromptList<RefusedCall>,
    observed: BTreeMap<(ToolName, String), ObservedPrompts>,
}

impl DayReviewer {
    /// Creates a reviewer of a day. The rules extend `policy`.
    #[must_use]
    pub fn new(policy: Policy, day: DaySpan) -> Self {
        let options = SuggestionOptions { at_least: AT_LEAST, ..SuggestionOptions::default() };
        Self {
            suggester: RuleSuggester::new(policy.clone(), options),
            policy,
            day,
            counts: DayCounts::default(),
            prompts: PromptList::default(),
            refused: PromptList::default(),
            observed: BTreeMap::new(),
        }
    }

    /// Adds a call that has all its events.
    pub fn add_call(&mut self, call: &Call) {
        self.suggester.add_call(call);
        let objection = past_answer::find_objection(call);
        if let Some(objection) = &objection {
            self.refused.add(call, || RefusedCall::denied(call, objection));
        }
        if !self.day.contains(call.proposal.at) {
            return;
        }
        self.counts.add(call);
        if let Some(rule) = find_observed_rule(call) {
            let key = (call.proposal.what.name.clone(), rule.to_owned());
            self.observed.entry(key).or_insert_with(|| ObservedPrompts::new(call, rule)).calls += 1;
        }
        if call.request().is_some() && objection.is_none() && !past_answer::thread_asked(call) {
            self.prompts.add(call, || ());
        }
    }

    /// Returns the review. `late` returns true when the time limit is over: a rule that was not compared with all refused
    /// calls by then is not offered.
    #[must_use]
    pub fn review(mut self, late: &dyn Fn() -> bool) -> DayReview {
        let despite_refusals = self.suggester.suggest_despite_refusals();
        let suggestion = self.suggester.suggestion();
        self.prompts.retain(|call| self.policy.judge(&call.subject(), late).verdict == Verdict::Ask);
        let mut offer = RuleOffer::new(&self.policy, &self.prompts, &self.refused);
        for rule in suggestion.rules {
            offer.add_rule(rule, late);
        }
        offer.explain_withheld(despite_refusals.rules, late);
        let (rules, withheld, is_complete) = offer.into_parts(late);
        let mut would_ask: Vec<_> = self.observed.into_values().collect();
        let observed = would_ask.iter().map(|row| row.calls).sum();
        would_ask.sort_by_key(|row| Reverse(row.calls));
        would_ask.truncate(MAX_OBSERVED);
        DayReview {
            counts: self.counts,
            saved: rules.iter().map(|rule| rule.saves).sum(),
            refused: self.refused.count(),
            rules,
            withheld,
            observed,
            would_ask,
            is_complete,
        }
    }
}

/// The rule that would have asked about a call which ran only because the policy observes.
fn find_observed_rule(call: &Call) -> Option<&str> {
    let response = call.response().filter(|response| response.what.source == Source::Policy)?;
    let is_observed = response.by == Principal::policy(Policy::OBSERVE_RULE);
    let shadow = response.what.shadow.iter().rfind(|shadow| shadow.verdict == Verdict::Ask);
    shadow.filter(|_| is_observed).map(|shadow| shadow.rule.as_str())
}
