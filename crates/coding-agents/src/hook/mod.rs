//! The hooks of coding agents: one process per message, JSON on stdin, JSON on stdout.
//!
//! The message before a tool proposes the call, waits for the decision and claims the call; the agent is its executor. The
//! message after the tool reports the result. A result that never comes shows as a call with an unknown outcome.

mod answer;
mod asked_call;
mod branches;
mod event;
mod failure;
mod generic;
mod links;
mod message;
mod program;
mod project;
mod prompt;
mod proposal;
mod question;
mod result;
mod running_calls;
pub(crate) mod specific_output;
mod terms;

pub use answer::HookAnswer;
pub use event::HookEvent;
pub use failure::HookFailure;
pub(crate) use generic::AnyProgram;
pub use message::{HookMessage, HookOrigin, MAX_MESSAGE_BYTES};
pub use program::HookProgram;
pub use project::{find_project, start_folder};
pub use prompt::withdraw_call;
pub use terms::{HookTerms, PromptTerms, RuleAllowance};

use crate::EditSupport;
use countersign_api::{ApprovalGate, CallGate};
use proposal::{answer_outcome, decide_with, edits_of, leaves_decision, read_call};

/// Answers one message of an agent. Returns the JSON for stdout; empty if the agent needs none.
pub async fn answer_hook(
    gate: &dyn ApprovalGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<String, HookFailure> {
    let answer = match message.event {
        HookEvent::BeforeTool => Box::pin(before_tool(gate, caller, message, terms)).await?,
        HookEvent::SkillCommand => Box::pin(skill_command(gate, caller, message, terms)).await?,
        HookEvent::PermissionRequest => Box::pin(permission_request(gate, caller, message, terms)).await?,
        HookEvent::Elicitation => Box::pin(prompt::answer_form(gate, caller, message, terms)).await?,
        HookEvent::AfterTool | HookEvent::AfterToolFailure => {
            result::record_result(gate, caller, message).await?
        }
        HookEvent::RefusedByAgent => {
            result::record_refusal(gate, caller, message).await?;
            HookAnswer::Silent
        }
        // The configuration is on this machine, so whoever runs the hook checks it.
        HookEvent::ConfigChange => HookAnswer::Silent,
        HookEvent::SessionEnd => {
            result::end_unreported_calls(gate, caller, message).await?;
            HookAnswer::Silent
        }
    };
    Ok(caller.encode_answer(&answer, message.event)?)
}

/// Proposes the call and claims it.
async fn before_tool(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let (thread, mut request) = read_call(message, terms)?;
    if question::find_question(caller, message).is_some() && !terms.prompts.asks_own_user() {
        request.definition = Some(question::needs_person());
    }
    let executor = caller.executor(request.id.as_str());
    let edits = edits_of(caller, terms);
    let outcome = decide_with(gate, &thread, &request, &executor, edits, terms).await?;
    Ok(answer_outcome(outcome, caller, message, terms))
}

/// Proposes a command in a skill's text, and claims it.
async fn skill_command(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let (thread, request) = read_call(message, terms)?;
    let executor = caller.skill_executor(request.id.as_str());
    let outcome = decide_with(gate, &thread, &request, &executor, EditSupport::Unsupported, terms).await?;
    Ok(answer_outcome(outcome, caller, message, terms))
}

/// Answers an agent's question if it may run a tool. Its message has no id of the call. Usually, the hook before the
/// tool has claimed the call a moment ago; otherwise this proposes it.
async fn permission_request(
    gate: &dyn ApprovalGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let (thread, request) = read_call(message, terms)?;
    if let Some(call) = asked_call::find_claimed(gate, caller, &thread, &request).await? {
        let form = question::find_question(caller, message);
        let is_left = leaves_decision(&call, message, terms);
        // While an agent plans, only the plan itself is a prompt that a person may answer elsewhere.
        let is_offered = caller.prompts_beside_hooks() && !terms.ignores_edits;
        if is_offered && (form.is_some() || is_left && !message.is_planning) {
            return Box::pin(prompt::offer_prompt(gate, caller, message, &thread, &request, &call, terms))
                .await;
        }
        return Ok(if is_left {
            HookAnswer::NoDecision { arguments: None }
        } else {
            HookAnswer::allowed_by("Countersign allowed this call before")
        });
    }
    let executor = caller.permission_executor(request.id.as_str());
    let outcome = decide_with(gate, &thread, &request, &executor, caller.permission_edits(), terms).await?;
    Ok(answer_outcome(outcome, caller, message, terms))
}
