//! Candidates for commands, URLs and paths: wildcards where they are safe, and lists of exact values elsewhere.

use super::{
    candidate::{CandidateRule, CandidateSelector, tool_of},
    evidence::AllowedCall,
    wildcard::{WildcardUse, judge_wildcard},
};
use countersign_policy::{CallReading, RuleEffect, ScopePattern};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// The maximum number of values in a list. Reviewers would not read longer lists.
const MAX_VALUES: usize = 12;
/// The longest list, in bytes of all values.
const MAX_LIST_BYTES: usize = 1_000;
/// The maximum number of wildcards that are compared with every call of a tool. Those with the most prompts are kept.
const MAX_WILDCARDS: usize = 50;

/// The allowed calls of one tool, and what each of them could match.
pub(super) struct ToolCalls<'a> {
    pub(super) allowed: &'a [AllowedCall],
    /// The index of each call in `allowed`, with its operands.
    pub(super) calls: Vec<(usize, CallReading<'a>)>,
}

impl ToolCalls<'_> {
    fn count_prompts(&self, calls: &BTreeSet<usize>) -> u64 {
        calls.iter().map(|index| self.allowed[*index].prompts).sum()
    }

    /// The calls that a rule with the selectors matches.
    fn find_matched(&self, pattern: &ScopePattern, unless: Option<&ScopePattern>) -> BTreeSet<usize> {
        let matches = |reading: &CallReading<'_>| {
            pattern.matches(reading, RuleEffect::Widen)
                && !unless.is_some_and(|unless| unless.matches(reading, RuleEffect::Restrict))
        };
        self.calls.iter().filter(|(_, reading)| matches(reading)).map(|(index, _)| *index).collect()
    }

    fn candidate(&self, selector: CandidateSelector, matched: BTreeSet<usize>) -> Option<CandidateRule> {
        let first = self.calls.first()?.0;
        Some(CandidateRule { tool: tool_of(self.allowed, &[first])?, selector, matched })
    }

    /// The wildcards that calls suggest and that are safe for a rule.
    pub(super) fn find_wildcards(&self) -> Vec<CandidateRule> {
        let mut found: BTreeMap<String, (ScopePattern, BTreeSet<usize>)> = BTreeMap::new();
        for (index, reading) in &self.calls {
            for pattern in ScopePattern::suggest(reading) {
                let key = pattern.json().as_str().to_owned();
                found.entry(key).or_insert_with(|| (pattern, BTreeSet::new())).1.insert(*index);
            }
        }
        let mut found: Vec<_> = found.into_values().collect();
        found.sort_by_key(|(_, calls)| Reverse(self.count_prompts(calls)));
        found.truncate(MAX_WILDCARDS);
        let candidate = |(pattern, _)| {
            let values = self.find_matched(&pattern, None).len();
            let WildcardUse::Safe { unless } = judge_wildcard(&pattern, values) else { return None };
            let matched = self.find_matched(&pattern, unless.as_ref());
            self.candidate(CandidateSelector::Wildcard { pattern, unless }, matched)
        };
        found.into_iter().filter_map(candidate).collect()
    }

    /// Lists of the exact commands and paths that people allowed more than once and that no wildcard matches.
    pub(super) fn find_exact(
        &self,
        wildcards: &[CandidateRule],
        is_safe: impl Fn(&CandidateRule) -> bool,
    ) -> Vec<CandidateRule> {
        let covered: BTreeSet<usize> =
            wildcards.iter().flat_map(|wildcard| &wildcard.matched).copied().collect();
        let mut values: BTreeMap<(&str, String), BTreeSet<usize>> = BTreeMap::new();
        for (index, reading) in self.calls.iter().filter(|(index, _)| !covered.contains(index)) {
            if let Some(value) = ScopePattern::suggest_exact(reading) {
                values.entry(value).or_default().insert(*index);
            }
        }
        let exact = |kind: &str, texts: Vec<String>| {
            let pattern = ScopePattern::of_operands(kind, texts)?;
            let matched = self.find_matched(&pattern, None);
            self.candidate(CandidateSelector::Exact(pattern), matched).filter(&is_safe)
        };
        let mut found = Vec::new();
        for kind in ["command", "path"] {
            let mut texts: Vec<(u64, &String)> = values
                .iter()
                .filter(|((of, _), _)| *of == kind)
                .map(|((_, text), calls)| (self.count_prompts(calls), text))
                .filter(|(prompts, text)| *prompts > 1 && exact(kind, vec![(*text).clone()]).is_some())
                .collect();
            texts.sort_by_key(|(prompts, _)| Reverse(*prompts));
            for list in split_lists(texts.into_iter().map(|(_, text)| text.clone())) {
                match exact(kind, list.clone()) {
                    Some(candidate) => found.push(candidate),
                    // Together, the values would allow a line that was denied.
                    None => found.extend(list.into_iter().filter_map(|text| exact(kind, vec![text]))),
                }
            }
        }
        found
    }
}

/// Splits values into lists that people can read.
fn split_lists(values: impl Iterator<Item = String>) -> Vec<Vec<String>> {
    let mut lists: Vec<Vec<String>> = Vec::new();
    let mut bytes = 0;
    for value in values {
        bytes += value.len();
        match lists.last_mut() {
            Some(list) if list.len() < MAX_VALUES && bytes <= MAX_LIST_BYTES => list.push(value),
            _ => {
                bytes = value.len();
                lists.push(vec![value]);
            }
        }
    }
    lists
}
