//! Rules that what people allowed could speak for: patterns of commands, addresses and paths, listed arguments,
//! and whole tools.

use super::{
    argument::{may_be_open, members},
    candidate::{CandidateRule, CandidateSelector, tool_of},
    evidence::{AllowedCall, RefusedCall},
    listed,
    wanted::VARIED,
};
use countersign_policy::{PatternContext, Policy, RuleEffect, ScopePattern};
use std::collections::{BTreeMap, BTreeSet};

/// How many rules are looked at for one tool: those that most prompts speak for.
const PER_TOOL: usize = 200;

/// All that meet no obstacle.
pub(super) fn all(policy: &Policy, allowed: &[AllowedCall], obstacles: &[RefusedCall]) -> Vec<CandidateRule> {
    let mut tools: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, allowed) in allowed.iter().enumerate() {
        tools.entry(allowed.looks.tool.as_str()).or_default().push(index);
    }
    tools.into_values().flat_map(|calls| of_tool(policy, allowed, &calls, obstacles)).collect()
}

fn of_tool(
    policy: &Policy,
    allowed: &[AllowedCall],
    calls: &[usize],
    obstacles: &[RefusedCall],
) -> Vec<CandidateRule> {
    let Some(first) = calls.first().map(|index| &allowed[*index].looks) else { return Vec::new() };
    let against: Vec<_> = obstacles.iter().filter(|obstacle| obstacle.looks.tool == first.tool).collect();
    let mut found = by_operand(policy, allowed, calls);
    found.extend(listed::candidates(policy, allowed, calls));
    found.extend(whole(policy, allowed, calls));
    let prompts = |candidate: &CandidateRule| -> u64 {
        candidate.meets.iter().map(|index| allowed[*index].prompts).sum()
    };
    // The sort is stable, and what comes in comes in an order of its own.
    found.sort_by_key(|candidate| std::cmp::Reverse(prompts(candidate)));
    found.truncate(PER_TOOL);
    let against: Vec<_> = against.iter().map(|obstacle| obstacle.looks.under(policy)).collect();
    found.retain(|candidate| !against.iter().any(|look| meets(candidate, look)));
    found
}

/// Whether the rule would allow the call, or might: what is masked in the log may be anything.
fn meets(candidate: &CandidateRule, look: &PatternContext<'_>) -> bool {
    let effect = if look.subject().redacted.is_empty() { RuleEffect::Widen } else { RuleEffect::Restrict };
    match &candidate.selects {
        CandidateSelector::Tool => true,
        CandidateSelector::Listed(pattern) | CandidateSelector::Operand(pattern) => {
            pattern.matches(look, effect)
        }
    }
}

/// A rule for each pattern that one of the calls suggests, with the calls that suggest it.
fn by_operand(policy: &Policy, allowed: &[AllowedCall], calls: &[usize]) -> Vec<CandidateRule> {
    let mut found: BTreeMap<String, (ScopePattern, BTreeSet<usize>)> = BTreeMap::new();
    for index in calls {
        for pattern in ScopePattern::suggest(&allowed[*index].looks.under(policy)) {
            let key = pattern.json().as_str().to_owned();
            found.entry(key).or_insert_with(|| (pattern, BTreeSet::new())).1.insert(*index);
        }
    }
    let candidate = |(pattern, meets)| {
        let tool = tool_of(allowed, calls)?;
        Some(CandidateRule { tool, selects: CandidateSelector::Operand(pattern), meets })
    };
    found.into_values().filter_map(candidate).collect()
}

/// The whole tool, if so many different things were allowed that nothing of the arguments seems to matter. One
/// that takes a command, an address or a path can do too many things for that.
fn whole(policy: &Policy, allowed: &[AllowedCall], calls: &[usize]) -> Option<CandidateRule> {
    let varied = calls.len() >= 2 * VARIED;
    let plain = |index: &usize| {
        let looks = &allowed[*index].looks;
        members(&looks.arguments)
            .is_some_and(|members| members.iter().all(|(key, value)| may_be_open(policy, looks, key, value)))
    };
    (varied && calls.iter().all(plain)).then_some(())?;
    Some(CandidateRule {
        tool: tool_of(allowed, calls)?,
        selects: CandidateSelector::Tool,
        meets: calls.iter().copied().collect(),
    })
}
