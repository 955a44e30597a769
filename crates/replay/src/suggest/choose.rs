//! Choosing among the rules that could be suggested: whichever saves the most prompts that no rule before it
//! saves, and of two that save as many the narrower.

use super::{
    candidate::CandidateRule,
    evidence::{AllowedCall, RefusedCall},
    rule_evidence::RuleEvidence,
    suggestion::{RuleSuggestion, SuggestedRule},
    wanted::{PassedOver, SuggestionOptions},
    write,
};
use countersign_policy::Policy;
use std::{cmp::Reverse, collections::BTreeSet};

/// How many rules are suggested at most: the first save the most.
const MOST: usize = 50;

/// What is told beside the rules.
pub(super) struct SuggestionCounts {
    pub(super) wanted: SuggestionOptions,
    pub(super) prompts: u64,
    pub(super) passed_over: PassedOver,
}

pub(super) fn choose(
    mut candidates: Vec<CandidateRule>,
    allowed: &[AllowedCall],
    obstacles: &[RefusedCall],
    numbers: &SuggestionCounts,
) -> RuleSuggestion {
    let mut rules: Vec<SuggestedRule> = Vec::new();
    let mut covered: BTreeSet<usize> = BTreeSet::new();
    let mut names = BTreeSet::new();
    let least = numbers.wanted.at_least.max(1);
    while rules.len() < MOST {
        let saves = |candidate: &CandidateRule| -> u64 {
            candidate.meets.difference(&covered).map(|index| allowed[*index].prompts).sum()
        };
        let best = candidates
            .iter()
            .enumerate()
            .map(|(at, candidate)| (saves(candidate), Reverse(candidate.selects.scope()), Reverse(at)))
            .max();
        let Some((spared, _, Reverse(at))) = best.filter(|(spared, ..)| *spared >= least) else { break };
        let candidate = candidates.swap_remove(at);
        let facts = RuleEvidence::of(&candidate, allowed, obstacles);
        let rule = suggested(&candidate, &facts, spared, &mut names);
        // What cannot be written down so that it reads is not suggested; nothing is known that comes to that.
        if Policy::read(&rule.toml).is_ok() {
            covered.extend(&candidate.meets);
            rules.push(rule);
        }
    }
    RuleSuggestion {
        at_least: least,
        prompts: numbers.prompts,
        saved: rules.iter().map(|rule| rule.saves).sum(),
        passed_over: numbers.passed_over,
        rules,
    }
}

fn suggested(
    candidate: &CandidateRule,
    facts: &RuleEvidence<'_>,
    saves: u64,
    names: &mut BTreeSet<String>,
) -> SuggestedRule {
    let plain = write::name(candidate);
    let numbered = (2..).map(|number| format!("{plain} ({number})"));
    let name = std::iter::once(plain.clone()).chain(numbered).find(|name| !names.contains(name));
    let name = name.unwrap_or(plain);
    names.insert(name.clone());
    SuggestedRule {
        toml: write::rule(&name, candidate, facts),
        name,
        tool: candidate.tool.clone(),
        prompts: facts.prompts,
        saves,
        arguments: facts.arguments,
        threads: facts.threads,
        people: facts.people.clone(),
        proposers: facts.proposers.clone(),
        first: facts.span.first,
        last: facts.span.last,
        near_misses: facts.against.len(),
        such_as: facts.against.iter().take(write::SHOWN).map(|obstacle| write::miss(obstacle)).collect(),
    }
}
