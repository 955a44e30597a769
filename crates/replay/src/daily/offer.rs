//! Compares suggested rules with the day's prompts and with all refused calls, one rule at a time and all together.

use super::{
    DayPrompt,
    prompt::{JudgedAgain, PromptList},
};
use crate::{
    SuggestedRule,
    suggest::{RefusedCall, describe_refusal},
};
use countersign_events::Verdict;
use countersign_policy::Policy;
use std::cmp::Reverse;

/// The most calls that show what a rule would have allowed.
const MAX_CALLS: usize = 20;

/// The most rules that are shown although they are not offered, and the most refused calls of each.
const MAX_WITHHELD: usize = 5;
const MAX_SHOWN: usize = 3;

/// A rule that would have saved prompts of the day and allows no refused call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedRule {
    /// The rule, with its evidence.
    pub rule: SuggestedRule,
    /// The day's prompts that this rule saves beyond those before it.
    pub saves: u64,
    /// Calls of the day that it would have allowed, the most frequent first.
    pub calls: Vec<DayPrompt>,
}

/// A rule that would have saved prompts of the day, but would also have allowed refused calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedRule {
    /// The name that the rule would have.
    pub name: String,
    /// The day's prompts that it would have saved.
    pub would_save: u64,
    /// The refused calls that it would have allowed.
    pub refused: u64,
    /// The first of these calls, with the reasons.
    pub such_as: Vec<String>,
}

/// The rules that have been compared so far.
pub(super) struct RuleOffer<'a> {
    policy: &'a Policy,
    prompts: &'a PromptList,
    refused: &'a PromptList<RefusedCall>,
    /// The policy with all offered rules.
    extended: Policy,
    rules: Vec<OfferedRule>,
    withheld: Vec<RejectedRule>,
}

impl<'a> RuleOffer<'a> {
    pub(super) fn new(
        policy: &'a Policy,
        prompts: &'a PromptList,
        refused: &'a PromptList<RefusedCall>,
    ) -> Self {
        Self { policy, prompts, refused, extended: policy.clone(), rules: Vec::new(), withheld: Vec::new() }
    }

    /// Offers the rule if it saves prompts of the day, and neither it nor all offered rules together allow a refused call.
    pub(super) fn add_rule(&mut self, rule: SuggestedRule, late: &dyn Fn() -> bool) {
        let Ok((alone, _)) = self.policy.text().add_managed_rule(&rule.toml) else { return };
        // Several rules together may allow a line of commands that none of them allows alone.
        let Ok((together, _)) = self.extended.text().add_managed_rule(&rule.toml) else { return };
        let tool = rule.tool.as_str();
        let allowed = find_allowed(&alone, self.prompts.of_tool(tool), late);
        let mut calls: Vec<_> = allowed.map(|call| call.prompt.clone()).collect();
        let would_save = calls.iter().map(|call| call.calls).sum();
        let counter: Vec<_> = find_allowed(&together, self.refused.of_tool(tool), late).collect();
        let [before, after] =
            [&self.extended, &together].map(|policy| count_saved(policy, self.prompts.of_tool(tool), late));
        let saves = after.saturating_sub(before);
        // Judging after the end of the time may overlook a refused call.
        if late() || saves == 0 {
            return;
        }
        if !counter.is_empty() {
            self.withhold(rule.name, would_save, &counter);
            return;
        }
        self.extended = together;
        calls.sort_by_key(|call| Reverse(call.calls));
        calls.truncate(MAX_CALLS);
        self.rules.push(OfferedRule { rule, saves, calls });
    }

    /// Adds the rules that would be offered if nobody had refused calls, with the refused calls that speak against them.
    pub(super) fn explain_withheld(&mut self, rules: Vec<SuggestedRule>, late: &dyn Fn() -> bool) {
        for rule in rules {
            let is_known = self.rules.iter().any(|offered| offered.rule.name == rule.name)
                || self.withheld.iter().any(|known| known.name == rule.name);
            let Ok((alone, _)) = self.policy.text().add_managed_rule(&rule.toml) else { continue };
            let counter: Vec<_> =
                find_allowed(&alone, self.refused.of_tool(rule.tool.as_str()), late).collect();
            let would_save = count_saved(&alone, self.prompts.of_tool(rule.tool.as_str()), late);
            if is_known || counter.is_empty() || would_save == 0 || late() {
                continue;
            }
            self.withhold(rule.name, would_save, &counter);
        }
    }

    /// The offered rules, those that are not offered, and whether the time was enough.
    pub(super) fn into_parts(self, late: &dyn Fn() -> bool) -> (Vec<OfferedRule>, Vec<RejectedRule>, bool) {
        let mut rules = self.rules;
        rules.sort_by_key(|rule| Reverse(rule.saves));
        let mut withheld = self.withheld;
        withheld.sort_by_key(|rule| Reverse(rule.would_save));
        withheld.truncate(MAX_WITHHELD);
        (rules, withheld, !late())
    }

    fn withhold(&mut self, name: String, would_save: u64, counter: &[&JudgedAgain<RefusedCall>]) {
        let such_as = counter.iter().take(MAX_SHOWN).map(|call| describe_refusal(&call.more)).collect();
        let refused = counter.iter().map(|call| call.prompt.calls).sum();
        self.withheld.push(RejectedRule { name, would_save, refused, such_as });
    }
}

/// The number of calls that the policy allows.
fn count_saved<'a>(
    policy: &'a Policy,
    prompts: impl Iterator<Item = &'a JudgedAgain<()>> + 'a,
    late: &'a dyn Fn() -> bool,
) -> u64 {
    find_allowed(policy, prompts, late).map(|call| call.prompt.calls).sum()
}

/// The calls that the policy allows.
fn find_allowed<'a, T: 'a>(
    policy: &'a Policy,
    calls: impl Iterator<Item = &'a JudgedAgain<T>> + 'a,
    late: &'a dyn Fn() -> bool,
) -> impl Iterator<Item = &'a JudgedAgain<T>> + 'a {
    calls
        .take_while(|_| !late())
        .filter(move |call| policy.judge(&call.subject(), late).verdict == Verdict::Allow)
}
