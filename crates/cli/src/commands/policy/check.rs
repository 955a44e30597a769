//! `countersign policy check`

use crate::{
    commands::policy::{
        sample_call::{SampleCall, command_line},
        source::PolicySource,
    },
    context::CommandContext,
    exit::{CliError, CommandExit},
    present::{
        screen::ScreenFormat,
        words::{count_words, verdict_style, verdict_word},
    },
};
use countersign_gate::{
    Json, Principal, ToolName,
    event::{OnExpiry, Verdict},
    policy::{ApprovalTerms, Judgement},
};
use countersign_tui::present::{
    print::print_line,
    text::{escape_text, format_duration},
};
use serde_json::json;
use std::{path::PathBuf, time::Duration};

/// Options of `policy check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without a call, it checks the policy only, and exits with 2 if the policy is invalid. With a call, the exit code is \
the verdict: 0 allow, 76 ask, 77 block. Only the policy judges: the policy, grants and mode of a thread do not apply.

JSON: of a call {\"verdict\", \"basis\": rule, zone, tool or default, \"rule\": or null, \"reason\", \"terms\": {\"expires\": \
seconds or null, \"onExpiry\", \"level\", \"defaultLevel\", \"quorum\", \"denials\", \"approvers\", \"remindAfter\", \
\"escalateAfter\", \"escalateTo\"}, \"matched\": [{\"rule\", \"verdict\", \"why\", \"shadow\"}], \"shadow\": [{\"rule\", \
\"verdict\"}], \"policy\": {\"file\": null if it is the shipped one, \"sha256\"}}; without one {\"policy\", \"rules\", \
\"warnings\": [{\"line\", \"column\", \"text\"}]}")]
pub(crate) struct PolicyCheckArgs {
    /// The tool of the call
    #[arg(value_name = "TOOL", value_parser = tool, conflicts_with_all = ["call", "words"])]
    name: Option<ToolName>,
    /// The arguments of the call, as JSON
    #[arg(value_name = "ARGUMENTS", default_value = "{}", hide_default_value = true, value_parser = arguments)]
    arguments: Json,
    /// A file with the call as proposed over HTTP, - for stdin
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    call: Option<PathBuf>,
    /// The thread of the call
    #[arg(long, value_name = "T", default_value = "terminal")]
    thread: String,
    /// The tool of a command line
    #[arg(long, default_value = "bash", value_parser = tool)]
    tool: ToolName,
    /// A command line, after --: words as for `run`, or the whole line as one word
    #[arg(last = true, value_name = "COMMAND")]
    words: Vec<String>,
}

fn tool(text: &str) -> Result<ToolName, String> {
    ToolName::new(text).map_err(|why| why.to_string())
}

fn arguments(text: &str) -> Result<Json, String> {
    Json::parse(text).map_err(|why| why.to_string())
}

pub(crate) fn check_policy(context: &CommandContext, args: &PolicyCheckArgs) -> anyhow::Result<CommandExit> {
    let call = call(context, args)?;
    let meant = PolicySource::from_settings(&context.settings)?;
    let Some(call) = call else { return Ok(look_at(context, &meant)) };
    let judgement = call.judged(&meant.policy);
    if context.json {
        print_line(&as_json(&judgement, &meant).to_string());
    } else {
        print_line(&as_text(&judgement, &meant, &context.screen()));
    }
    Ok(match judgement.verdict {
        Verdict::Allow => CommandExit::DONE,
        Verdict::Ask => CommandExit::ASKED,
        Verdict::Block => CommandExit::DENIED,
    })
}

fn call(context: &CommandContext, args: &PolicyCheckArgs) -> anyhow::Result<Option<SampleCall>> {
    let thread = countersign_api::parse_thread_id(&args.thread)?;
    let principal = context.settings.principal(Principal::agent)?;
    if let Some(path) = &args.call {
        return SampleCall::read(path, thread, principal).map(Some);
    }
    if let Some(name) = &args.name {
        return Ok(Some(SampleCall::new(thread, principal, name.clone(), args.arguments.clone())));
    }
    let command = match args.words.as_slice() {
        [] => return Ok(None),
        // A single word with spaces is a whole line that the user quoted for the shell.
        [line] => line.clone(),
        words => shlex::try_join(words.iter().map(String::as_str))
            .map_err(|why| CliError::usage(format!("the command cannot be quoted: {why}")))?,
    };
    Ok(Some(SampleCall::new(thread, principal, args.tool.clone(), command_line(&command)?)))
}

fn look_at(context: &CommandContext, meant: &PolicySource) -> CommandExit {
    let warnings = meant.policy.warnings();
    if context.json {
        let told: Vec<_> = warnings
            .iter()
            .map(|warning| json!({"line": warning.line, "column": warning.column, "text": warning.text}))
            .collect();
        let told = json!({"policy": about(meant), "rules": meant.policy.rules(), "warnings": told});
        print_line(&told.to_string());
        return CommandExit::DONE;
    }
    let rules = count_words(meant.policy.rules() as u64, "rule");
    let found = match warnings.len() as u64 {
        0 => "no warnings".to_owned(),
        number => count_words(number, "warning"),
    };
    print_line(&format!("{}: {rules}, {found}.", escape_text(meant.name())));
    for warning in warnings {
        print_line(&format!("  {}", escape_text(&warning.to_string())));
    }
    CommandExit::DONE
}

fn about(meant: &PolicySource) -> serde_json::Value {
    json!({"file": meant.file, "sha256": meant.policy.hash()})
}

fn as_json(judgement: &Judgement, meant: &PolicySource) -> serde_json::Value {
    let terms = &judgement.terms;
    let seconds = |span: Option<Duration>| span.map(|span| span.as_secs());
    let matched: Vec<_> = judgement
        .matched
        .iter()
        .map(|rule| json!({"rule": rule.rule, "verdict": rule.verdict, "why": rule.why, "shadow": rule.shadow}))
        .collect();
    json!({
        "verdict": judgement.verdict,
        "basis": judgement.basis,
        "rule": judgement.rule,
        "reason": judgement.reason,
        "terms": {
            "expires": seconds(terms.expires),
            "onExpiry": terms.on_expiry,
            "level": terms.level,
            "defaultLevel": terms.default_level,
            "quorum": terms.quorum,
            "denials": terms.denials,
            "approvers": terms.approvers,
            "remindAfter": seconds(terms.remind_after),
            "escalateAfter": seconds(terms.escalate_after),
            "escalateTo": terms.escalate_to,
        },
        "matched": matched,
        "shadow": judgement.shadow,
        "policy": about(meant),
    })
}

fn as_text(judgement: &Judgement, meant: &PolicySource, screen: &ScreenFormat) -> String {
    let verdict = screen.paint(verdict_style(judgement.verdict), verdict_word(judgement.verdict));
    let mut lines = vec![format!("{verdict}  {}", escape_text(&judgement.reason))];
    let mut fact = |name: &str, text: String| lines.push(format!("  {name:<8} {text}"));
    let by = match &judgement.rule {
        Some(rule) => format!("{} {}", judgement.basis.as_str(), escape_text(rule)),
        None => judgement.basis.as_str().to_owned(),
    };
    fact("by", by);
    if judgement.verdict == Verdict::Ask {
        for line in terms(&judgement.terms) {
            fact("terms", line);
        }
    }
    for rule in &judgement.matched {
        let shadow = if rule.shadow { " (shadow rule: no effect)" } else { "" };
        let said = format!(
            "{:<5} {}: {}{shadow}",
            verdict_word(rule.verdict),
            escape_text(&rule.rule),
            escape_text(&rule.why)
        );
        fact("matched", said);
    }
    if judgement.matched.is_empty() {
        fact("matched", "no rule".to_owned());
    }
    fact("policy", escape_text(meant.name()));
    lines.join("\n")
}

/// The terms of a request that differ from the defaults.
fn terms(terms: &ApprovalTerms) -> Vec<String> {
    let span = |span: Duration| format_duration(span.as_secs());
    let mut said = Vec::new();
    if let Some(level) = &terms.level {
        said.push(format!("level {}", escape_text(level)));
    }
    if let Some(level) = &terms.default_level {
        said.push(format!("offered at level {}", escape_text(level)));
    }
    if terms.quorum > 1 {
        said.push(format!("{} must agree", terms.quorum));
    }
    if terms.denials > 1 {
        said.push(format!("{} must deny", terms.denials));
    }
    for list in &terms.approvers {
        said.push(format!("decided by {}", escape_text(&list.join(" or "))));
    }
    if let Some(after) = terms.remind_after {
        said.push(format!("people are reminded after {}", span(after)));
    }
    if let (Some(after), Some(to)) = (terms.escalate_after, &terms.escalate_to) {
        said.push(format!("escalates to level {} after {}", escape_text(to), span(after)));
    }
    if let Some(expires) = terms.expires {
        let then = if terms.on_expiry == OnExpiry::Allow { "allowed" } else { "denied" };
        said.push(format!("{then} after {} without an answer", span(expires)));
    }
    said
}
