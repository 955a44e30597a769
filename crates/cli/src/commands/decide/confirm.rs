//! Confirming a decision that changes the arguments, or that is remembered for a pattern.

use super::args::DecideOptions;
use countersign_api::{self as api, ErrorCode, SendOperation, SharedGate, operations};
use countersign_console::{
    CommandContext, confirm, describe_scope_preview, difference_lines, escape_text, print_line, waiting_calls,
};
use countersign_events::Json;

/// A call with the decision on it.
pub(super) type CallDecision = (api::Call, api::DecisionRequest);

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

/// The most calls whose scopes are previewed.
const PREVIEWED: usize = 10;

/// Prints the previews of scopes that do more than their words say: a pattern, a remembered denial, and calls that wait.
/// Then it asks for confirmation. For an approval, the words `exact` and `tool` say what they cover.
pub(super) async fn confirm_scopes(
    context: &CommandContext,
    options: &DecideOptions,
    gate: &SharedGate,
    decisions: &[CallDecision],
) -> anyhow::Result<bool> {
    let mut shown = false;
    for (call, decide) in decisions.iter().filter(|(call, _)| call.is_pending()).take(PREVIEWED) {
        let Some(scope) = decide.scope.clone().filter(|_| !context.json) else { continue };
        let is_pattern = scope.as_str().trim_start().starts_with('{');
        if !is_pattern && decide.decision.allows() && !decide.and_waiting {
            continue;
        }
        let asked = api::ScopeRequest {
            scope,
            agents: decide.agents,
            uses: decide.uses,
            level: decide.level.clone(),
        };
        match gate
            .send(operations::PreviewScope {
                thread: call.thread_id.clone(),
                id: call.id.clone(),
                body: asked,
            })
            .await
        {
            Ok(preview) => print_preview(&preview, decide),
            // An older server has no previews, but takes the decision.
            Err(error) if error.code == ErrorCode::UnknownRoute => {}
            Err(error) => return Err(error.into()),
        }
        shown = true;
    }
    Ok(!shown || options.yes || confirm("Remember the decision for this scope?")?)
}

/// Prints a scope preview, and the ids of the waiting calls that the decision also decides.
fn print_preview(preview: &api::ScopePreview, decide: &api::DecisionRequest) {
    print_line(&describe_scope_preview(preview, decide.decision));
    let waiting = waiting_calls(preview, decide.decision);
    if !decide.and_waiting || waiting.is_empty() {
        return;
    }
    let verb = if decide.decision.allows() { "allows" } else { "denies" };
    let ids: Vec<_> = waiting.iter().take(PREVIEWED).map(|id| escape_text(id.as_str())).collect();
    let more = waiting.len().saturating_sub(PREVIEWED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    print_line(&format!("It also {verb} the calls that wait: {}{more}", ids.join(", ")));
}
