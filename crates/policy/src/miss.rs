//! Why no rule allows a call: the rule that comes closest, and what of the call it does not cover.

use crate::{
    command_operand::CommandOperand, facts::CallFacts, outcome::SelectorHit, rule::PolicyRule,
    selector::SelectorMiss,
};
use countersign_events::Verdict;
use countersign_patterns::{
    ParsedScript,
    command::{HindranceKind, UncoveredCommand, WordHindrance, find_allowed_commands},
};

/// The reason for a call that no rule matches, in one line.
pub(crate) fn explain_miss<'a>(
    rules: impl Iterator<Item = &'a PolicyRule>,
    facts: &CallFacts<'_>,
) -> Option<String> {
    if let Some(hindrance) = facts.first_hindrance() {
        return Some(hindrance.to_owned());
    }
    let is_near = |rule: &&PolicyRule| {
        rule.verdict == Verdict::Allow && !rule.shadow && !rule.is_zone && rule.matching.is_about(facts)
    };
    let near: Vec<_> = rules.filter(is_near).collect();
    if near.is_empty() {
        return None;
    }
    let operands = facts.commands();
    if operands.found.is_empty() && operands.gap.is_none() {
        return near.into_iter().find_map(|rule| explain_rule(rule, facts));
    }
    if let Some(SelectorHit::Unclear(why) | SelectorHit::Failed(why)) = &operands.gap {
        return Some(format!("no rule allows it: {why}"));
    }
    operands.found.iter().find_map(|operand| explain_command(operand, &near, facts))
}

/// Why the rule, which covers the call's commands, does not allow it.
fn explain_rule(rule: &PolicyRule, facts: &CallFacts<'_>) -> Option<String> {
    if let SelectorMiss::One(why) = rule.matching.find_miss(facts) {
        return Some(format!("no rule allows it: {why} (rule {:?})", rule.name));
    }
    None
}

fn explain_command(operand: &CommandOperand, near: &[&PolicyRule], facts: &CallFacts<'_>) -> Option<String> {
    let with_commands = || near.iter().copied().filter(|rule| !rule.matching.commands.is_empty());
    with_commands().next()?;
    let mut closest = None;
    for script in operand.scripts() {
        if let Some(why) = script.explain_unreadable() {
            return Some(format!("no rule allows it: it cannot be read with certainty ({why})"));
        }
        let mut is_covered = vec![false; script.count_written()];
        for rule in with_commands() {
            let patterns = &rule.matching.commands;
            let allowed =
                find_allowed_commands(patterns, script, rule.matching.file_cover()).unwrap_or_default();
            for (so_far, allowed) in is_covered.iter_mut().zip(allowed) {
                closest = closest.or(Some(rule).filter(|_| allowed && !*so_far));
                *so_far |= allowed;
            }
        }
        if let Some(number) = is_covered.iter().position(|is_covered| !is_covered) {
            return explain_uncovered(script, number, with_commands(), facts);
        }
    }
    closest.into_iter().chain(with_commands()).find_map(|rule| explain_rule(rule, facts))
}

/// Which command of the line no rule allows, and what the rule that comes closest does not cover.
fn explain_uncovered<'a>(
    script: &ParsedScript,
    number: usize,
    rules: impl Iterator<Item = &'a PolicyRule>,
    facts: &CallFacts<'_>,
) -> Option<String> {
    let command = script.uncovered_command(number)?;
    let mut other = None;
    for rule in rules {
        let hindrance = command.find_hindrance(&rule.matching.commands, rule.matching.file_cover());
        match &hindrance {
            Some(WordHindrance { word, why: HindranceKind::Effect(effect) }) => {
                let why = format!("`{}` {}", facts.redact_and_shorten(word), effect.as_verb());
                return Some(format!(
                    "{}: {why}, which rule {:?} does not cover",
                    head(&command, facts),
                    rule.name
                ));
            }
            Some(WordHindrance { word, why: HindranceKind::UnknownOption }) => {
                let word = facts.redact_and_shorten(word);
                return Some(format!(
                    "{}: rule {:?} does not cover `{word}`",
                    head(&command, facts),
                    rule.name
                ));
            }
            _ => other = other.or(Some(hindrance)),
        }
    }
    let why = other?.map(|WordHindrance { word, why }| {
        let word = facts.redact_and_shorten(&word);
        match why {
            HindranceKind::UnknownValue => format!(": only the shell knows what `{word}` is"),
            HindranceKind::Document => ": it reads a here-document".to_owned(),
            HindranceKind::RedirectedFile => format!(": no pattern shows the file `{word}`"),
            HindranceKind::Effect(_) | HindranceKind::UnknownOption => String::new(),
        }
    });
    Some(format!("{}{}", head(&command, facts), why.unwrap_or_default()))
}

fn head(command: &UncoveredCommand<'_>, facts: &CallFacts<'_>) -> String {
    let shown = facts.redact_and_shorten(command.shown());
    let place = if command.has_others() { " in this line" } else { "" };
    format!("no rule allows `{shown}`{place}")
}
