//! The answer to a reach question, in words and as JSON.

use super::source::PolicySource;
use countersign_console::{ScreenFormat, TextStyle, count_words, escape_text, verdict_style, verdict_word};
use countersign_events::Verdict;
use countersign_policy::{
    NewlyReachable, ReachAnswer, ReachCall, ReachForm, ReachQuestion, ReachReport, ReachWitness,
    WitnessStrength,
};
use serde_json::{Value, json};

/// The most characters of a call that are shown.
const MAX_CALL_CHARS: usize = 160;

/// The call as a person would write it: a command alone, or a tool with its arguments.
pub(super) fn describe_call(call: &ReachCall) -> String {
    let arguments: Value = serde_json::from_str(call.arguments.as_str()).unwrap_or_default();
    let line = arguments.get("command").and_then(Value::as_str).filter(|_| call.form == ReachForm::Command);
    let mut text = match line {
        Some(line) if call.tool.eq_ignore_ascii_case("bash") => line.to_owned(),
        _ => format!("{} {}", call.tool, call.arguments.as_str()),
    };
    if let Some(server) = &call.server {
        text.extend([" (server ", server, ")"]);
    }
    let shown: String = text.chars().take(MAX_CALL_CHARS).collect();
    let end = if shown.len() < text.len() { "…" } else { "" };
    escape_text(&(shown + end))
}

/// The rules that allow a call, or what else does.
fn describe_rules(witness: &ReachWitness) -> String {
    if witness.rules.is_empty() {
        return format!("by {}", witness.basis.as_str());
    }
    let names: Vec<_> = witness.rules.iter().map(|rule| escape_text(rule)).collect();
    format!("by {}", names.join(", and "))
}

pub(super) fn describe_witnesses(witnesses: &[ReachWitness], screen: &ScreenFormat) -> Vec<String> {
    let mut lines = Vec::new();
    for strength in [WitnessStrength::Does, WitnessStrength::MayDo] {
        let mut last = String::new();
        for witness in witnesses.iter().filter(|witness| witness.strength == strength) {
            let by = describe_rules(witness);
            if by != last {
                let doubt = if strength == WitnessStrength::MayDo {
                    "  (it is not known what these do with it)"
                } else {
                    ""
                };
                lines.push(format!("  {}{doubt}", screen.paint(TextStyle::Bold, &by)));
                last = by;
            }
            lines.push(format!("    {}", describe_call(&witness.call)));
        }
    }
    lines
}

pub(super) fn describe_others(others: &[ReachAnswer], screen: &ScreenFormat) -> Vec<String> {
    let mut lines = Vec::new();
    if !others.is_empty() {
        lines.push("Other calls:".to_owned());
    }
    for other in others {
        let verdict = screen.paint(verdict_style(other.verdict), verdict_word(other.verdict));
        let by = other.rule.as_deref().map_or_else(|| other.basis.as_str().to_owned(), escape_text);
        let advisor =
            other.advisor.as_ref().map(|name| format!(", and advisor {} may answer", escape_text(name)));
        let calls = count_words(other.calls as u64, "call");
        let example = describe_call(&other.example);
        lines
            .push(format!("  {verdict}  by {by}{}: {calls}, such as {example}", advisor.unwrap_or_default()));
    }
    lines
}

/// What the search did not try, in words.
pub(super) fn list_gaps(report: &ReachReport) -> Vec<String> {
    let mut gaps = Vec::new();
    let quoted =
        |rules: &[String]| rules.iter().map(|rule| format!("{rule:?}")).collect::<Vec<_>>().join(", ");
    let are = |rules: &[String]| if rules.len() == 1 { "the rule" } else { "the rules" };
    if !report.unmet_rules.is_empty() {
        let rules = &report.unmet_rules;
        gaps.push(format!(
            "{} {}, whose condition no call that was tried satisfies",
            are(rules),
            quoted(rules)
        ));
    }
    if !report.unknown_tools.is_empty() {
        let rules = &report.unknown_tools;
        gaps.push(format!(
            "what the tools do that {} {} allow with any arguments",
            are(rules),
            quoted(rules)
        ));
    }
    gaps.push("what programs, scripts and builds do by themselves, and tools that are not known".to_owned());
    gaps.push("the policy, the grants and the mode of a thread, which answer after the policy".to_owned());
    let tried = count_words(report.tried as u64, "call");
    gaps.push(if report.is_complete {
        format!("calls other than the {tried} that were judged")
    } else {
        format!("all calls after the {tried} that were judged, because there are too many")
    });
    gaps
}

pub(super) fn call_json(call: &ReachCall) -> Value {
    let mut told = json!({"form": call.form.as_str(), "name": call.tool, "arguments": call.arguments});
    if let Some(server) = &call.server {
        told["server"] = json!(server);
    }
    if let Some(thread) = &call.thread {
        told["threadId"] = json!(thread);
    }
    told
}

fn witness_json(witness: &ReachWitness) -> Value {
    json!({
        "does": witness.strength == WitnessStrength::Does,
        "rules": witness.rules,
        "basis": witness.basis,
        "reason": witness.reason,
        "call": call_json(&witness.call),
    })
}

fn other_json(other: &ReachAnswer) -> Value {
    let ReachAnswer { verdict, rule, basis, advisor, calls, example, reason } = other;
    let mut told = json!({
        "verdict": verdict,
        "rule": rule,
        "basis": basis,
        "reason": reason,
        "calls": calls,
        "example": call_json(example),
    });
    if let Some(advisor) = advisor {
        told["advisor"] = json!(advisor);
    }
    told
}

pub(super) fn report_json(question: &ReachQuestion, report: &ReachReport, meant: &PolicySource) -> Value {
    json!({
        "question": question.to_string(),
        "reachable": !report.witnesses.is_empty(),
        "witnesses": report.witnesses.iter().map(witness_json).collect::<Vec<_>>(),
        "others": report.others.iter().map(other_json).collect::<Vec<_>>(),
        "tried": report.tried,
        "isComplete": report.is_complete,
        "notCovered": list_gaps(report),
        "policy": {"file": meant.file, "name": meant.name(), "sha256": meant.policy.hash()},
    })
}

/// What a new policy makes reachable, in words. Empty if it is nothing.
pub(super) fn describe_newly_reachable(found: &[NewlyReachable], screen: &ScreenFormat) -> Vec<String> {
    let mut lines = Vec::new();
    if !found.is_empty() {
        lines.push("\nNewly allowed in this folder, and not by the active policy:".to_owned());
    }
    for NewlyReachable { question, witness } in found {
        let question = screen.paint(verdict_style(Verdict::Block), &escape_text(&question.to_string()));
        lines.push(format!("  {question}  {} ({})", describe_call(&witness.call), describe_rules(witness)));
    }
    lines
}

pub(super) fn newly_reachable_json(found: &[NewlyReachable]) -> Value {
    let each = found.iter().map(|NewlyReachable { question, witness }| {
        json!({"question": question.to_string(), "rules": witness.rules, "call": call_json(&witness.call)})
    });
    each.collect()
}
