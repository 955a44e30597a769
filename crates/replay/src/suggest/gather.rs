//! Finds candidate rules in the allowed calls: patterns for commands, URLs and paths, listed arguments, and whole
//! tools.

use super::{
    argument::{may_be_open, read_members},
    candidate::{CandidateRule, CandidateSelector, tool_of},
    evidence::{AllowedCall, RefusedCall},
    listed,
    operand::ToolCalls,
    options::MIN_VARIED_VALUES,
};
use countersign_policy::{CallReading, Policy, RuleEffect};
use std::collections::BTreeMap;

/// The maximum number of candidates per tool. Candidates with the most prompts are kept.
const MAX_PER_TOOL: usize = 200;

/// Finds the candidates that match no refused call.
pub(super) fn find_candidates(
    policy: &Policy,
    allowed: &[AllowedCall],
    obstacles: &[RefusedCall],
) -> Vec<CandidateRule> {
    let mut tools: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, allowed) in allowed.iter().enumerate() {
        tools.entry(allowed.call.tool.as_str()).or_default().push(index);
    }
    tools.into_values().flat_map(|calls| find_for_tool(policy, allowed, &calls, obstacles)).collect()
}

fn find_for_tool(
    policy: &Policy,
    allowed: &[AllowedCall],
    calls: &[usize],
    obstacles: &[RefusedCall],
) -> Vec<CandidateRule> {
    let Some(first) = calls.first().map(|index| &allowed[*index].call) else { return Vec::new() };
    let refused: Vec<_> = obstacles
        .iter()
        .filter(|obstacle| obstacle.call.tool == first.tool)
        .map(|obstacle| obstacle.call.read(policy))
        .collect();
    let is_safe = |candidate: &CandidateRule| !refused.iter().any(|call| may_allow(candidate, call));
    let readings = calls.iter().map(|index| (*index, allowed[*index].call.read(policy)));
    let operands = ToolCalls { allowed, calls: readings.collect() };
    let mut found = operands.find_wildcards();
    found.retain(is_safe);
    found.extend(operands.find_exact(&found, is_safe));
    found.extend(listed::find_listed(policy, allowed, calls));
    found.extend(whole_tool(policy, allowed, calls));
    let prompts = |candidate: &CandidateRule| -> u64 {
        candidate.matched.iter().map(|index| allowed[*index].prompts).sum()
    };
    // The sort is stable and its input is ordered, so the result depends only on the log.
    found.sort_by_key(|candidate| std::cmp::Reverse(prompts(candidate)));
    found.truncate(MAX_PER_TOOL);
    found.retain(is_safe);
    found
}

/// Returns true if the rule would allow the call or might allow it. A masked value can be any value, so it counts as a
/// match. An exception to the rule does not count, because it is a precaution for undecided calls.
fn may_allow(candidate: &CandidateRule, call: &CallReading<'_>) -> bool {
    let effect = if call.subject().redacted.is_empty() { RuleEffect::Widen } else { RuleEffect::Restrict };
    candidate.selector.pattern().is_none_or(|pattern| pattern.matches(call, effect))
}

/// Creates a candidate for the whole tool, if so many different calls were allowed that the arguments do not seem to
/// matter. A tool that takes a command, a URL or a path never qualifies, because its effects vary too much.
fn whole_tool(policy: &Policy, allowed: &[AllowedCall], calls: &[usize]) -> Option<CandidateRule> {
    let is_varied = calls.len() >= 2 * MIN_VARIED_VALUES;
    let is_plain = |index: &usize| {
        let call = &allowed[*index].call;
        read_members(&call.arguments)
            .is_some_and(|members| members.iter().all(|(key, value)| may_be_open(policy, call, key, value)))
    };
    (is_varied && calls.iter().all(is_plain)).then_some(())?;
    Some(CandidateRule {
        tool: tool_of(allowed, calls)?,
        selector: CandidateSelector::Tool,
        matched: calls.iter().copied().collect(),
    })
}
