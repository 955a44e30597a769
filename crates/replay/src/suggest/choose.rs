//! Choosing among the rules that could be suggested: whichever saves the most prompts that no rule before it
//! saves, and of two that save as many the narrower.

use super::{
    PassedOver, Span, Wanted,
    candidate::{Candidate, Selects},
    evidence::{Allowed, Obstacle},
    write,
};
use countersign_events::{Timestamp, ToolName};
use countersign_policy::Policy;
use serde::Serialize;
use std::{cmp::Reverse, collections::BTreeSet};

/// How many rules are suggested at most: the first save the most.
const MOST: usize = 50;

/// How many proposers a rule names; for more it is for anybody.
const PROPOSERS: usize = 5;

/// Rules, with what speaks for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// How many prompts a rule has to save at least.
    pub at_least: u64,
    /// How many prompts there were.
    pub prompts: u64,
    /// How many of them the rules would have saved.
    pub saved: u64,
    /// How many were passed over, and why.
    pub passed_over: PassedOver,
    /// The rules, the one that saves the most first.
    pub rules: Vec<Suggested>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggested {
    /// Its name.
    pub name: String,
    /// The tool.
    pub tool: ToolName,
    /// The rule as it stands in a policy.
    pub toml: String,
    /// How many prompts it would have saved.
    pub prompts: u64,
    /// How many of them no rule before it saves.
    pub saves: u64,
    /// How many different arguments that were.
    pub arguments: usize,
    /// Over how many threads.
    pub threads: usize,
    /// Who allowed them.
    pub people: Vec<String>,
    /// Who proposed them.
    pub proposers: Vec<String>,
    /// The first prompt.
    pub first: Timestamp,
    /// The last.
    pub last: Timestamp,
    /// How many calls of the tool it does not allow, and may not.
    pub near_misses: usize,
    /// The first of those, with the reason.
    pub such_as: Vec<String>,
}

/// What is told beside the rules.
pub(super) struct Numbers {
    pub(super) wanted: Wanted,
    pub(super) prompts: u64,
    pub(super) passed_over: PassedOver,
}

pub(super) fn choose(
    mut candidates: Vec<Candidate>,
    allowed: &[Allowed],
    obstacles: &[Obstacle],
    numbers: &Numbers,
) -> Suggestion {
    let mut rules: Vec<Suggested> = Vec::new();
    let mut covered: BTreeSet<usize> = BTreeSet::new();
    let mut names = BTreeSet::new();
    let least = numbers.wanted.at_least.max(1);
    while rules.len() < MOST {
        let saves = |candidate: &Candidate| -> u64 {
            candidate.meets.difference(&covered).map(|index| allowed[*index].prompts).sum()
        };
        let best = candidates
            .iter()
            .enumerate()
            .map(|(at, candidate)| (saves(candidate), Reverse(candidate.selects.width()), Reverse(at)))
            .max();
        let Some((spared, _, Reverse(at))) = best.filter(|(spared, ..)| *spared >= least) else { break };
        let candidate = candidates.swap_remove(at);
        let facts = Facts::of(&candidate, allowed, obstacles);
        let rule = suggested(&candidate, &facts, spared, &mut names);
        // What cannot be written down so that it reads is not suggested; nothing is known that comes to that.
        if Policy::read(&rule.toml).is_ok() {
            covered.extend(&candidate.meets);
            rules.push(rule);
        }
    }
    Suggestion {
        at_least: least,
        prompts: numbers.prompts,
        saved: rules.iter().map(|rule| rule.saves).sum(),
        passed_over: numbers.passed_over,
        rules,
    }
}

/// What speaks for a rule, and what it may not meet.
pub(super) struct Facts<'a> {
    pub(super) prompts: u64,
    pub(super) arguments: usize,
    pub(super) threads: usize,
    pub(super) people: Vec<String>,
    pub(super) proposers: Vec<String>,
    pub(super) span: Span,
    pub(super) against: Vec<&'a Obstacle>,
}

impl<'a> Facts<'a> {
    fn of(candidate: &Candidate, allowed: &[Allowed], obstacles: &'a [Obstacle]) -> Self {
        let met: Vec<_> = candidate.meets.iter().map(|index| &allowed[*index]).collect();
        let all = |of: fn(&Allowed) -> &BTreeSet<String>| -> Vec<String> {
            met.iter().flat_map(|allowed| of(allowed)).cloned().collect::<BTreeSet<_>>().into_iter().collect()
        };
        let spans = met.iter().map(|allowed| allowed.span);
        Self {
            prompts: met.iter().map(|allowed| allowed.prompts).sum(),
            arguments: met.len(),
            threads: met.iter().flat_map(|allowed| &allowed.threads).collect::<BTreeSet<_>>().len(),
            people: all(|allowed| &allowed.people),
            proposers: all(|allowed| &allowed.proposers),
            span: spans.reduce(Span::and).unwrap_or(Span::of(Timestamp::from_millis(0))),
            against: obstacles.iter().filter(|obstacle| obstacle.looks.tool == candidate.tool).collect(),
        }
    }

    /// Whom the rule is for: those that the evidence is of, unless it is of many.
    pub(super) fn named(&self) -> Option<&[String]> {
        (self.proposers.len() <= PROPOSERS).then_some(&self.proposers)
    }
}

fn suggested(
    candidate: &Candidate,
    facts: &Facts<'_>,
    saves: u64,
    names: &mut BTreeSet<String>,
) -> Suggested {
    let plain = write::name(candidate);
    let numbered = (2..).map(|number| format!("{plain} ({number})"));
    let name = std::iter::once(plain.clone()).chain(numbered).find(|name| !names.contains(name));
    let name = name.unwrap_or(plain);
    names.insert(name.clone());
    Suggested {
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

impl Selects {
    /// The selectors besides the tool, as JSON.
    pub(super) fn json(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        match self {
            Self::Listed(pattern) | Self::Operand(pattern) => pattern.json().read().ok(),
            Self::Tool => None,
        }
    }
}
