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
use countersign_policy::Policy;
use std::{cmp::Reverse, collections::BTreeSet};

/// The most rules of a suggestion. Further rules would save fewer prompts.
const MAX_RULES: usize = 50;

/// The options and the counts of a suggestion.
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
    let mut rules: Vec<SuggestedRule> = Vec::new();
    let mut covered: BTreeSet<usize> = BTreeSet::new();
    let mut names = BTreeSet::new();
    let least = counts.options.at_least.max(1);
    while rules.len() < MAX_RULES {
        let count_prompts = |candidate: &CandidateRule| -> u64 {
            candidate.matched.difference(&covered).map(|index| allowed[*index].prompts).sum()
        };
        let best = candidates
            .iter()
            .enumerate()
            .map(|(at, candidate)| {
                (count_prompts(candidate), Reverse(candidate.selector.breadth()), Reverse(at))
            })
            .max();
        let Some((saved, _, Reverse(at))) = best.filter(|(saved, ..)| *saved >= least) else { break };
        let candidate = candidates.swap_remove(at);
        let evidence = RuleEvidence::for_candidate(&candidate, allowed, obstacles);
        let rule = build_rule(&candidate, &evidence, saved, &mut names);
        // Drop a rule whose TOML does not parse. No case is known in which this happens.
        if Policy::read(&rule.toml).is_ok() {
            covered.extend(&candidate.matched);
            rules.push(rule);
        }
    }
    RuleSuggestion {
        at_least: least,
        prompts: counts.prompts,
        saved: rules.iter().map(|rule| rule.saves).sum(),
        skipped: counts.skipped,
        rules,
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
