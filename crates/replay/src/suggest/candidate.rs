//! Rules that what people allowed could speak for: patterns of commands, addresses and paths, listed arguments,
//! and whole tools.

use super::{
    VARIED,
    evidence::{Allowed, Looks, Obstacle},
    listed,
};
use countersign_events::{Json, ToolName};
use countersign_policy::{Effect, Look, Pattern, Policy};
use std::collections::{BTreeMap, BTreeSet};

/// How many rules are looked at for one tool: those that most prompts speak for.
const PER_TOOL: usize = 200;

/// What a rule would look at besides the tool, from the narrowest kind to the widest.
#[derive(Debug, Clone)]
pub(super) enum Selects {
    /// Arguments with listed values.
    Listed(Pattern),
    /// A command, an address, a path.
    Operand(Pattern),
    /// Nothing.
    Tool,
}

impl Selects {
    pub(super) const fn width(&self) -> u8 {
        match self {
            Self::Listed(_) => 0,
            Self::Operand(_) => 1,
            Self::Tool => 2,
        }
    }
}

/// A rule that might be suggested.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) tool: ToolName,
    pub(super) selects: Selects,
    /// Which of the allowed calls it meets for sure.
    pub(super) meets: BTreeSet<usize>,
}

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
        listed::members(&looks.arguments)
            .is_some_and(|members| members.iter().all(|(key, value)| may_be_open(policy, looks, key, value)))
    };
    (varied && calls.iter().all(plain)).then_some(())?;
    Some(Candidate {
        tool: tool_of(allowed, calls)?,
        selects: Selects::Tool,
        meets: calls.iter().copied().collect(),
    })
}

/// Longer strings are texts or programs, and those differ in ways that nobody reviews by their number.
const LONGEST: usize = 120;

/// Whether a rule may leave that argument open.
pub(super) fn may_be_open(policy: &Policy, looks: &Looks, key: &str, value: &Json) -> bool {
    let text = match value.as_str().as_bytes().first() {
        Some(b'{' | b'[') | None => return false,
        Some(b'"') => value.read::<String>().unwrap_or_default(),
        Some(_) => return true,
    };
    text.chars().count() <= LONGEST && !text.contains(char::is_control) && !is_operand(policy, looks, key)
}

/// Whether the tool takes a command, an address or a path under that key: then a probe there meets a pattern.
pub(super) fn is_operand(policy: &Policy, looks: &Looks, key: &str) -> bool {
    const PROBES: &[(&str, &str)] = &[("command", "ls"), ("url", "https://example.com/"), ("path", "/probe")];
    PROBES.iter().any(|(kind, probe)| {
        let json = |value: &serde_json::Value| Json::stored(value.to_string()).ok();
        let object =
            |key: &str| serde_json::Value::Object([(key.to_owned(), (*probe).into())].into_iter().collect());
        let (Some(arguments), Some(pattern)) = (json(&object(key)), json(&object(kind))) else { return true };
        Pattern::read(&pattern)
            .is_ok_and(|pattern| pattern.matches(&Look::new(policy, &looks.with(&arguments)), Effect::Widen))
    })
}

pub(super) fn tool_of(allowed: &[Allowed], calls: &[usize]) -> Option<ToolName> {
    Some(allowed[*calls.first()?].looks.tool.clone())
}
