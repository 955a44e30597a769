//! `countersign policy check`

use crate::commands::policy::{
    agent_place::agent_place,
    sample_call::{SampleCall, command_line},
    source::PolicySource,
};
use countersign_console::{
    CliError, CommandContext, CommandExit, ScreenFormat, count_words, escape_text, format_duration,
    print_line, verdict_style, verdict_word,
};
use countersign_events::{Json, OnExpiry, Principal, ToolName, Verdict};
use countersign_gate::{view_verdict, view_warning};
use countersign_policy::{ApprovalTerms, CallReading, Judgement};
use serde_json::json;
use std::{path::PathBuf, time::Duration};

/// Options of `policy check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without a call, it checks the policy only, and exits with 2 if the policy is invalid, and with 1 if a rule or a pattern can never \
match. With a call, the exit code is \
the verdict: 0 allow, 76 ask, 77 block. Only the policy judges: the policy, grants and mode of a thread do not apply. The call \
runs in this folder and its project; --call takes the place from its file.
The files in the folder policy.d beside FILE belong to the policy.

JSON: of a call {\"verdict\", \"basis\": rule, zone, tool or default, \"rule\": or null, \"reason\", \"terms\": {\"expires\": \
seconds or null, \"onExpiry\", \"level\", \"defaultLevel\", \"quorum\", \"denials\", \"approvers\", \"advisor\": if one may answer, \"remindAfter\", \
\"escalateAfter\", \"escalateTo\"}, \"matched\": [{\"rule\", \"verdict\", \"why\", \"advisor\": if one may answer, \"shadow\"}], \"shadow\": [{\"rule\", \
\"verdict\"}], \"effects\": [what the call does, in words], \"policy\": {\"file\": null if it is the active one, \"layers\": [names], \"ignored\": [names], \"sha256\"}}; without \
one {\"policy\", \"rules\", \"warnings\": [{\"file\": if there are several, \"line\", \"column\", \"text\", \
\"neverMatches\": whether it is an error}]}")]
pub(crate) struct PolicyCheckArgs {
    /// The policy, - for stdin [default: the policy from the settings, or else the active one]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Arguments in the place where earlier versions expected them
    #[arg(hide = true)]
    misplaced: Option<String>,
    /// The call's tool; with a command line after --, bash is the default
    #[arg(long, value_parser = tool)]
    tool: Option<ToolName>,
    /// The call's arguments, as JSON
    #[arg(long, value_name = "JSON", requires = "tool", conflicts_with = "words", value_parser = arguments)]
    arguments: Option<Json>,
    /// A file with the call as proposed over HTTP, - for stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["words", "tool"])]
    call: Option<PathBuf>,
    /// The call's thread
    #[arg(long, value_name = "T", default_value = "terminal")]
    thread: String,
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

pub(crate) async fn check_policy(
    context: &CommandContext,
    args: &PolicyCheckArgs,
) -> anyhow::Result<CommandExit> {
    let call = call(context, args)?;
    let meant = policy_source(context, args).await?;
    let Some(call) = call else { return Ok(look_at(context, &meant)) };
    let judgement = call.judged(&meant.policy);
    let effects = CallReading::new(&meant.policy, &call.subject()).describe_effects();
    if context.json {
        let mut told = as_json(&judgement, &meant);
        told["effects"] = json!(effects);
        print_line(&told.to_string());
    } else {
        print_line(&as_text(&judgement, &effects, &meant, &context.screen()));
    }
    Ok(match judgement.verdict {
        Verdict::Allow => CommandExit::DONE,
        Verdict::Ask => CommandExit::ASKED,
        Verdict::Block => CommandExit::DENIED,
    })
}

/// Reads the policy that the command names, or else the policy from the settings, or else the active one.
async fn policy_source(context: &CommandContext, args: &PolicyCheckArgs) -> anyhow::Result<PolicySource> {
    let Some(path) = &args.file else { return PolicySource::find(context).await };
    let name = path.display();
    if let Some(other) = &context.options.policy {
        let other = other.display();
        return Err(CliError::usage(format!("check {name} or {other}, not both: remove --policy")).into());
    }
    let is_tool = !name.to_string().contains(['/', '.']) && tool(&name.to_string()).is_ok();
    if args.misplaced.is_some() || (is_tool && name.to_string() != "-" && !path.exists()) {
        let json = args.misplaced.as_deref().unwrap_or("{}");
        let json = shlex::try_quote(json).unwrap_or_default();
        let remedy = format!("--tool {name} --arguments {json}");
        let message = format!("{name} is read as the file of a policy; for a call of a tool, type {remedy}");
        return Err(CliError::usage(message).into());
    }
    PolicySource::from_file(path)
}

fn call(context: &CommandContext, args: &PolicyCheckArgs) -> anyhow::Result<Option<SampleCall>> {
    let thread = countersign_api::parse_thread_id(&args.thread)?;
    let principal = context.settings.principal(Principal::agent)?;
    if let Some(path) = &args.call {
        return SampleCall::read(path, thread, principal).map(Some);
    }
    let command = match args.words.as_slice() {
        [] => {
            let Some(tool) = args.tool.clone() else { return Ok(None) };
            let arguments =
                args.arguments.clone().map_or_else(|| arguments("{}").map_err(CliError::usage), Ok)?;
            let call = SampleCall::new(thread, principal, tool, arguments);
            return Ok(Some(SampleCall { place: Some(agent_place(context)?), ..call }));
        }
        // A single word with spaces is a whole line that the user quoted for the shell.
        [line] => line.clone(),
        words => shlex::try_join(words.iter().map(String::as_str))
            .map_err(|why| CliError::usage(format!("the command cannot be quoted: {why}")))?,
    };
    let tool = args.tool.clone().map_or_else(|| tool("bash").map_err(CliError::usage), Ok)?;
    let call = SampleCall::new(thread, principal, tool, command_line(&command)?);
    Ok(Some(SampleCall { place: Some(agent_place(context)?), ..call }))
}

fn look_at(context: &CommandContext, meant: &PolicySource) -> CommandExit {
    let warnings = meant.policy.find_warnings();
    let errors = warnings.iter().filter(|warning| warning.never_matches).count();
    let exit = if errors == 0 { CommandExit::DONE } else { CommandExit::FAILED };
    if context.json {
        let told: Vec<_> = warnings.into_iter().map(view_warning).collect();
        let told = json!({"policy": about(meant), "rules": meant.policy.rules(), "warnings": told});
        print_line(&told.to_string());
        return exit;
    }
    let rules = count_words(meant.policy.rules() as u64, "rule");
    let found = match warnings.len() - errors {
        0 => "no warnings".to_owned(),
        number => count_words(number as u64, "warning"),
    };
    let wrong =
        if errors == 0 { String::new() } else { format!("{}, ", count_words(errors as u64, "error")) };
    print_line(&format!("{}: {rules}, {wrong}{found}.", escape_text(meant.name())));
    for warning in warnings {
        let kind = if warning.never_matches { "error: " } else { "" };
        print_line(&format!("  {kind}{}", escape_text(&warning.to_string())));
    }
    for name in &meant.ignored {
        print_line(&format!("  ignored: {} (hidden, or not *.toml, *.prompt or *.cedar)", escape_text(name)));
    }
    exit
}

fn about(meant: &PolicySource) -> serde_json::Value {
    let layers: Vec<_> = meant.policy.text().layers.iter().map(|layer| &layer.name).collect();
    json!({"file": meant.file, "layers": layers, "ignored": meant.ignored, "sha256": meant.policy.hash()})
}

/// The verdict as the API has it, with the policy as commands describe it.
fn as_json(judgement: &Judgement, meant: &PolicySource) -> serde_json::Value {
    let mut told = json!(view_verdict(judgement));
    told["policy"] = about(meant);
    told
}

fn as_text(judgement: &Judgement, effects: &[String], meant: &PolicySource, screen: &ScreenFormat) -> String {
    let verdict = screen.paint(verdict_style(judgement.verdict), verdict_word(judgement.verdict));
    let mut lines = vec![format!("{verdict}  {}", escape_text(&judgement.reason))];
    let mut fact = |name: &str, text: String| lines.push(format!("  {name:<8} {text}"));
    let by = match &judgement.rule {
        Some(rule) => format!("{} {}", judgement.basis.as_str(), escape_text(rule)),
        None => judgement.basis.as_str().to_owned(),
    };
    fact("by", by);
    for effect in effects {
        fact("does", escape_text(effect));
    }
    if judgement.verdict == Verdict::Ask {
        for line in terms(&judgement.terms) {
            fact("terms", line);
        }
    }
    for rule in &judgement.matched {
        let shadow = if rule.shadow { " (shadow rule: no effect)" } else { "" };
        let verdict = if rule.advisor.is_some() { "advised" } else { verdict_word(rule.verdict) };
        let said = format!("{verdict:<5} {}: {}{shadow}", escape_text(&rule.rule), escape_text(&rule.why));
        fact("matched", said);
    }
    if judgement.matched.is_empty() {
        fact("matched", "no rule".to_owned());
    }
    fact("policy", escape_text(meant.name()));
    lines.join("\n")
}

/// The request terms that differ from the defaults.
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
    for channel in &terms.decide_in {
        said.push(format!("may be decided in a {}", channel.as_str()));
    }
    if let Some(advisor) = &terms.advisor {
        said.push(format!("advisor {} may answer, if it decides; otherwise people do", escape_text(advisor)));
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
