//! The command lines of a policy's rules, as templates. Comparing two policies asks many questions, so they are made once.

use crate::{policy::Policy, rule::PolicyRule};
use countersign_events::Verdict;
use countersign_patterns::CommandPattern;

/// Stands for the thing in question in a template.
pub(crate) const GAP: &str = "\u{e001}";

/// The most commands of one rule that are tried with a redirection.
const MAX_REDIRECTIONS: usize = 5;

/// The command lines of a policy's rules.
pub(crate) struct RuleLines {
    /// For each rule of the policy.
    by_rule: Vec<Vec<String>>,
    /// Whether the other policy lacks the rule. Such a rule is tried first.
    is_new: Vec<bool>,
}

impl RuleLines {
    /// The lines of a policy that is compared with another one.
    pub(crate) fn new(policy: &Policy, other: &Policy) -> Self {
        let is_new = |rule: &PolicyRule| !other.rules.iter().any(|known| looks_alike(known, rule));
        Self {
            by_rule: policy.rules.iter().map(lines_of_rule).collect(),
            is_new: policy.rules.iter().map(is_new).collect(),
        }
    }

    /// Whether the other policy lacks the rule at this index.
    pub(crate) fn is_new(&self, index: usize) -> bool {
        self.is_new.get(index).is_some_and(|is_new| *is_new)
    }

    /// The templates of the rule at this index: the first of each pattern, then the second of each, and so on.
    pub(crate) fn of_rule(&self, index: usize) -> &[String] {
        self.by_rule.get(index).map_or(&[], Vec::as_slice)
    }
}

/// Whether both rules have the same name, tools and patterns.
fn looks_alike(one: &PolicyRule, other: &PolicyRule) -> bool {
    let tools = |rule: &PolicyRule| rule.matching.tools.as_ref().map(|tools| tools.patterns.clone());
    let commands =
        |rule: &PolicyRule| rule.matching.commands.iter().map(|p| p.as_str().to_owned()).collect::<Vec<_>>();
    let paths =
        |rule: &PolicyRule| rule.matching.paths.iter().map(|p| p.as_str().to_owned()).collect::<Vec<_>>();
    let urls =
        |rule: &PolicyRule| rule.matching.urls.iter().map(|p| p.as_str().to_owned()).collect::<Vec<_>>();
    one.name == other.name
        && one.verdict == other.verdict
        && tools(one) == tools(other)
        && commands(one) == commands(other)
        && paths(one) == paths(other)
        && urls(one) == urls(other)
}

fn lines_of_rule(rule: &PolicyRule) -> Vec<String> {
    if rule.verdict != Verdict::Allow || rule.shadow {
        return Vec::new();
    }
    let patterns = rule.matching.commands.iter().filter(|pattern| !names_folder(pattern));
    alternate(patterns.map(|pattern| pattern.samples(GAP, GAP)).collect())
}

/// Whether the pattern may tell a path's spellings apart.
pub(crate) fn names_folder(pattern: &CommandPattern) -> bool {
    pattern.as_str().contains(['/', '~'])
}

/// Commands that a rule allows whatever they are about, to which a redirection can be added.
pub(crate) fn commands_for_redirection(patterns: &[CommandPattern]) -> impl Iterator<Item = String> {
    patterns.iter().filter_map(|pattern| pattern.samples("x", "x").next()).take(MAX_REDIRECTIONS)
}

/// The items of all lists: the first of each, then the second of each, and so on.
pub(crate) fn alternate<T>(mut lists: Vec<impl Iterator<Item = T>>) -> Vec<T> {
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}
