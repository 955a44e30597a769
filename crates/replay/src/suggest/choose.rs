//! Chooses rules among the candidates. Each step takes the candidate that saves the most prompts beyond the rules
//! before it; of equal candidates it takes the narrower one.

use super::{
    candidate::CandidateRule,
    evidence::{AllowedCall, RefusedCall},
    options::{SkippedPrompts, SuggestionOptions},
    rule_evidence::RuleEvidence,
    suggestion::{RuleSuggestion, SuggestedRule},
    write,
};
use countersign_events::Verdict;
use countersign_policy::Policy;
use std::{cmp::Reverse, collections::BTreeSet};

/// The maximum number of rules in a suggestion. Further rules would save fewer prompts.
const MAX_RULES: usize = 50;
/// The maximum number of rules to show unless all are wanted. They fit on one screen.
const MAX_SHOWN_RULES: usize = 10;

/// The options and counts for a suggestion.
pub(super) struct SuggestionCounts {
    pub(super) options: SuggestionOptions,
    pub(super) prompts: u64,
    pub(super) skipped: SkippedPrompts,
}

/// Chooses rules until no candidate saves enough prompts.
pub(super) fn choose_rules(
    mut candidates: Vec<CandidateRule>,
    allowed: &[AllowedCall],
    obstacles: &[RefusedCall],
    counts: &SuggestionCounts,
) -> RuleSuggestion {
    let least = counts.options.at_least.max(1);
    let mut chosen: Vec<CandidateRule> = Vec::new();
    let mut covered: BTreeSet<usize> = BTreeSet::new();
    while chosen.len() < MAX_RULES {
        let best = candidates
            .iter()
            .enumerate()
            .map(|(at, candidate)| {
                let saved = count_new(candidate, &covered, allowed);
                (saved, Reverse(candidate.selector.breadth()), Reverse(at))
            })
            .max();
        let Some((.., Reverse(at))) = best.filter(|(saved, ..)| *saved >= least) else { break };
        let candidate = candidates.swap_remove(at);
        covered.extend(&candidate.matched);
        chosen.push(candidate);
    }
    remove_covered(&mut chosen);
    let rules = remove_allowing(build_rules(&chosen, allowed, obstacles), obstacles);
    summarise(rules, counts, least)
}

/// The number of prompts that the candidate saves in addition to the covered calls.
fn count_new(candidate: &CandidateRule, covered: &BTreeSet<usize>, allowed: &[AllowedCall]) -> u64 {
    candidate.matched.difference(covered).map(|index| allowed[*index].prompts).sum()
}

/// Removes the rules whose calls the other rules match.
fn remove_covered(chosen: &mut Vec<CandidateRule>) {
    let mut at = 0;
    while at < chosen.len() {
        let others = chosen.iter().enumerate().filter(|(other, _)| *other != at);
        let others: BTreeSet<usize> = others.flat_map(|(_, rule)| &rule.matched).copied().collect();
        if chosen[at].matched.is_subset(&others) {
            chosen.remove(at);
        } else {
            at += 1;
        }
    }
}

fn build_rules(
    chosen: &[CandidateRule],
    allowed: &[AllowedCall],
    obstacles: &[RefusedCall],
) -> Vec<SuggestedRule> {
    let mut covered: BTreeSet<usize> = BTreeSet::new();
    let mut names = BTreeSet::new();
    let mut rules = Vec::new();
    for candidate in chosen {
        let evidence = RuleEvidence::for_candidate(candidate, allowed, obstacles);
        let saved = count_new(candidate, &covered, allowed);
        let rule = build_rule(candidate, &evidence, saved, &mut names);
        // Drop a rule whose TOML does not parse. No such rule is known.
        if Policy::read(&rule.toml).is_ok() {
            covered.extend(&candidate.matched);
            rules.push(rule);
        }
    }
    rules
}

/// Removes rules until they allow no refused call together, such as a line of commands of several rules.
fn remove_allowing(mut rules: Vec<SuggestedRule>, obstacles: &[RefusedCall]) -> Vec<SuggestedRule> {
    loop {
        let text: String = rules.iter().map(|rule| rule.toml.as_str()).collect();
        let Ok(policy) = Policy::read(&text) else { return Vec::new() };
        let allows = |obstacle: &RefusedCall| {
            policy.judge(&obstacle.call.subject(), &|| false).verdict == Verdict::Allow
        };
        if !obstacles.iter().any(allows) || rules.pop().is_none() {
            return rules;
        }
    }
}

fn summarise(mut rules: Vec<SuggestedRule>, counts: &SuggestionCounts, least: u64) -> RuleSuggestion {
    let count_saved = |rules: &[SuggestedRule]| rules.iter().map(|rule| rule.saves).sum();
    let shown = if counts.options.all { rules.len() } else { rules.len().min(MAX_SHOWN_RULES) };
    let more = rules.split_off(shown);
    RuleSuggestion {
        at_least: least,
        prompts: counts.prompts,
        saved: count_saved(&rules),
        skipped: counts.skipped,
        rules,
        more_rules: more.len(),
        more_saves: count_saved(&more),
    }
}

fn build_rule(
    candidate: &CandidateRule,
    evidence: &RuleEvidence<'_>,
    saves: u64,
    names: &mut BTreeSet<String>,
) -> SuggestedRule {
    let plain = write::name_rule(candidate);
    let numbered = (2..).map(|number| format!("{plain} ({number})"));
    let name = std::iter::once(plain.clone()).chain(numbered).find(|name| !names.contains(name));
    let name = name.unwrap_or(plain);
    names.insert(name.clone());
    SuggestedRule {
        toml: write::write_rule(&name, candidate, evidence),
        name,
        tool: candidate.tool.clone(),
        prompts: evidence.prompts,
        saves,
        arguments: evidence.arguments,
        threads: evidence.threads,
        people: evidence.people.clone(),
        proposers: evidence.proposers.clone(),
        first: evidence.period.first,
        last: evidence.period.last,
        near_misses: evidence.refused.len(),
        such_as: evidence
            .refused
            .iter()
            .take(write::MAX_SHOWN)
            .map(|call| write::describe_refusal(call))
            .collect(),
    }
}
