//! Rules that what people allowed could speak for: patterns of commands, addresses and paths, listed arguments,
//! and whole tools.

use super::{
    argument::{may_be_open, members},
    candidate::{Candidate, Selects, tool_of},
    evidence::{Allowed, Obstacle},
    listed,
    wanted::VARIED,
};
use countersign_policy::{Effect, Look, Pattern, Policy};
use std::collections::{BTreeMap, BTreeSet};

/// How many rules are looked at for one tool: those that most prompts speak for.
const PER_TOOL: usize = 200;

/// All that meet no obstacle.
pub(super) fn all(policy: &Policy, allowed: &[Allowed], obstacles: &[Obstacle]) -> Vec<Candidate> {
    let mut tools: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, allowed) in allowed.iter().enumerate() {
        tools.entry(allowed.looks.tool.as_str()).or_default().push(index);
    }
    tools.into_values().flat_map(|calls| of_tool(policy, allowed, &calls, obstacles)).collect()
}

fn of_tool(policy: &Policy, allowed: &[Allowed], calls: &[usize], obstacles: &[Obstacle]) -> Vec<Candidate> {
    let Some(first) = calls.first().map(|index| &allowed[*index].looks) else { return Vec::new() };
    let against: Vec<_> = obstacles.iter().filter(|obstacle| obstacle.looks.tool == first.tool).collect();
    let mut found = by_operand(policy, allowed, calls);
    found.extend(listed::candidates(policy, allowed, calls));
    found.extend(whole(policy, allowed, calls));
    let prompts =
        |candidate: &Candidate| -> u64 { candidate.meets.iter().map(|index| allowed[*index].prompts).sum() };
    // The sort is stable, and what comes in comes in an order of its own.
    found.sort_by_key(|candidate| std::cmp::Reverse(prompts(candidate)));
    found.truncate(PER_TOOL);
    let against: Vec<_> = against.iter().map(|obstacle| obstacle.looks.under(policy)).collect();
    found.retain(|candidate| !against.iter().any(|look| meets(candidate, look)));
    found
}

/// Whether the rule would allow the call, or might: what is masked in the log may be anything.
fn meets(candidate: &Candidate, look: &Look<'_>) -> bool {
    let effect = if look.subject().redacted.is_empty() { Effect::Widen } else { Effect::Restrict };
    match &candidate.selects {
        Selects::Tool => true,
        Selects::Listed(pattern) | Selects::Operand(pattern) => pattern.matches(look, effect),
    }
}

/// A rule for each pattern that one of the calls suggests, with the calls that suggest it.
fn by_operand(policy: &Policy, allowed: &[Allowed], calls: &[usize]) -> Vec<Candidate> {
    let mut found: BTreeMap<String, (Pattern, BTreeSet<usize>)> = BTreeMap::new();
    for index in calls {
        for pattern in Pattern::suggest(&allowed[*index].looks.under(policy)) {
            let key = pattern.json().as_str().to_owned();
            found.entry(key).or_insert_with(|| (pattern, BTreeSet::new())).1.insert(*index);
        }
    }
    let candidate = |(pattern, meets)| {
        let tool = tool_of(allowed, calls)?;
        Some(Candidate { tool, selects: Selects::Operand(pattern), meets })
    };
    found.into_values().filter_map(candidate).collect()
}

/// The whole tool, if so many different things were allowed that nothing of the arguments seems to matter. One
/// that takes a command, an address or a path can do too many things for that.
fn whole(policy: &Policy, allowed: &[Allowed], calls: &[usize]) -> Option<Candidate> {
    let varied = calls.len() >= 2 * VARIED;
    let plain = |index: &usize| {
        let looks = &allowed[*index].looks;
        members(&looks.arguments)
            .is_some_and(|members| members.iter().all(|(key, value)| may_be_open(policy, looks, key, value)))
    };
    (varied && calls.iter().all(plain)).then_some(())?;
    Some(Candidate {
        tool: tool_of(allowed, calls)?,
        selects: Selects::Tool,
        meets: calls.iter().copied().collect(),
    })
}
