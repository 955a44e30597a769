//! What somebody is shown before a decision that reaches further than its call, or changes it, is sent.

use super::options::How;
use crate::target::Gate;
use crate::{
    args::Args,
    edit, facts,
    output::{self, visible},
};
use countersign_api::{self as api, ErrorCode};
use countersign_gate::Json;
use std::io::IsTerminal;

/// Shows what would run instead, and asks on a terminal whether that is meant.
pub(super) fn about_change(args: &Args, how: &How, call: &api::Call, changed: &Json) -> anyhow::Result<bool> {
    let differences = edit::differences(&call.arguments, changed);
    if differences.is_empty() {
        return Ok(true);
    }
    if !args.json {
        output::say(&format!(
            "{} of {} is to run with:",
            visible(call.id.as_str()),
            visible(call.name.as_str())
        ));
        for line in differences {
            output::say(&format!("  {line}"));
        }
    }
    is_agreed(args, how.yes, "Allow it so?")
}

/// Shows how far a pattern would have reached, and asks on a terminal whether that is meant. What its words say
/// is not asked about.
pub(super) async fn about_width(
    args: &Args,
    how: &How,
    gate: &Gate,
    call: &api::Call,
    wish: &api::DecisionRequest,
) -> anyhow::Result<bool> {
    let pattern = wish.matches.as_ref().filter(|width| width.as_str().trim_start().starts_with('{'));
    let Some(matches) = pattern.filter(|_| call.is_pending() && !args.json) else { return Ok(true) };
    let width = api::ScopeRequest { matches: matches.clone() };
    match gate.preview_scope(&call.thread_id, &call.id, &width).await {
        Ok(reach) => output::say(&facts::reach(&reach)),
        // A server of before knows no reach, and still takes the decision.
        Err(error) if error.code == ErrorCode::UnknownRoute => {}
        Err(error) => return Err(error.into()),
    }
    is_agreed(args, how.yes, "Remember it so?")
}

/// Whether that is agreed to: by somebody at a terminal, or by the command line where nobody is to be asked.
pub(crate) fn is_agreed(args: &Args, yes: bool, question: &str) -> anyhow::Result<bool> {
    if yes || args.json || !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    output::ask(&format!("{question} [y/N] "));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    let agreed = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !agreed {
        output::say("Nothing was decided.");
    }
    Ok(agreed)
}
