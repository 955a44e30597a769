//! Several `allow` rules that cover the commands of one line together.

use crate::{
    RuleEffect,
    command_operand::CommandOperand,
    facts::CallFacts,
    outcome::SelectorHit,
    rule::{PolicyRule, RuleAnswer},
};
use countersign_events::Verdict;
use countersign_patterns::command::find_allowed_commands;

/// Finds rules that allow every command of the call together, although none of them does so alone. Each rule must match
/// the call in all its other selectors. Empty if there are none.
pub(crate) fn combine_rules<'a>(
    rules: impl Iterator<Item = &'a PolicyRule>,
    facts: &CallFacts<'_>,
) -> Vec<RuleAnswer<'a>> {
    let mut covered = AllowedCommands::default();
    let mut found = Vec::new();
    for rule in rules.filter(|rule| can_combine(rule)) {
        let Some(allowed) = allowed_commands(rule, facts) else { return Vec::new() };
        if covered.gains(&allowed) && rule.matches_besides_commands(facts) {
            covered.add(allowed);
            found.push(rule);
        }
    }
    if !covered.is_complete() {
        return Vec::new();
    }
    found.into_iter().map(PolicyRule::partial_answer).collect()
}

/// The reason of rules that allow a call together.
pub(crate) fn describe_combination(answers: &[RuleAnswer<'_>]) -> String {
    let names: Vec<_> = answers.iter().map(|answer| format!("{:?}", answer.rule.name)).collect();
    format!("the rules {} allow the commands of the line together", names.join(" and "))
}

fn can_combine(rule: &PolicyRule) -> bool {
    rule.verdict == Verdict::Allow && !rule.shadow && !rule.matching.commands.is_empty()
}

/// The call's commands that the rule allows. `None` if no rule can allow the call, whatever its patterns.
fn allowed_commands(rule: &PolicyRule, facts: &CallFacts<'_>) -> Option<Vec<bool>> {
    let operands = facts.commands();
    if operands.gap.is_some() {
        return None;
    }
    let mut allowed = Vec::new();
    for script in operands.found.iter().flat_map(CommandOperand::scripts) {
        let commands = find_allowed_commands(&rule.matching.commands, script, rule.matching.file_cover())?;
        // A line without a command runs nothing that a rule could allow.
        if commands.is_empty() {
            return None;
        }
        allowed.extend(commands);
    }
    Some(allowed)
}

/// The call commands: true for those that a rule allows.
#[derive(Debug, Default)]
struct AllowedCommands(Vec<bool>);

impl AllowedCommands {
    fn gains(&self, allowed: &[bool]) -> bool {
        allowed.iter().enumerate().any(|(at, allowed)| *allowed && self.0.get(at) != Some(&true))
    }

    fn add(&mut self, allowed: Vec<bool>) {
        self.0.resize(allowed.len(), false);
        for (so_far, allowed) in self.0.iter_mut().zip(allowed) {
            *so_far |= allowed;
        }
    }

    fn is_complete(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|allowed| *allowed)
    }
}

impl PolicyRule {
    /// Returns true if the rule matches the call in all selectors other than its commands.
    fn matches_besides_commands(&self, facts: &CallFacts<'_>) -> bool {
        let hit = self.matching.match_besides_commands(RuleEffect::Widen, facts);
        matches!(hit, SelectorHit::Yes(_)) && !self.is_excepted(RuleEffect::Widen, facts)
    }
}
