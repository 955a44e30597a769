//! Confirming a decision that changes the arguments, or that is remembered for a pattern.

use super::args::DecideOptions;
use crate::{context::CommandContext, present::confirm::confirm};
use countersign_api as api;
use countersign_api::{ErrorCode, SharedGate};
use countersign_gate::Json;
use countersign_tui::present::{
    editor::difference_lines, facts::describe_scope_preview, print::print_line, text::escape_text,
};

/// Prints the changed arguments, and asks for confirmation.
pub(super) fn confirm_change(
    context: &CommandContext,
    options: &DecideOptions,
    call: &api::Call,
    changed: &Json,
) -> anyhow::Result<bool> {
    let differences = difference_lines(&call.arguments, changed);
    if differences.is_empty() {
        return Ok(true);
    }
    if !context.json {
        let (id, tool) = (escape_text(call.id.as_str()), escape_text(call.name.as_str()));
        print_line(&format!("{id} ({tool}) would run with these changes:"));
        for line in differences {
            print_line(&format!("  {line}"));
        }
    }
    Ok(options.yes || context.json || confirm("Allow the changed call?")?)
}

/// Prints the preview of a pattern, and asks for confirmation. The scopes `exact` and `tool` need none, because
/// their words say what they cover.
pub(super) async fn confirm_scope(
    context: &CommandContext,
    options: &DecideOptions,
    gate: &SharedGate,
    call: &api::Call,
    decide: &api::DecisionRequest,
) -> anyhow::Result<bool> {
    let pattern = decide.scope.as_ref().filter(|scope| scope.as_str().trim_start().starts_with('{'));
    let Some(pattern) = pattern.filter(|_| call.is_pending() && !context.json) else { return Ok(true) };
    let scope =
        api::ScopeRequest { scope: pattern.clone(), agents: decide.agents, level: decide.level.clone() };
    match gate.preview_scope(&call.thread_id, &call.id, &scope).await {
        Ok(preview) => print_line(&describe_scope_preview(&preview, decide.decision)),
        // An older server has no previews, but takes the decision.
        Err(error) if error.code == ErrorCode::UnknownRoute => {}
        Err(error) => return Err(error.into()),
    }
    Ok(options.yes || confirm("Remember the decision for this scope?")?)
}
