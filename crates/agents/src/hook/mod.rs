//! The hooks of coding agents: one process per message, JSON on stdin, JSON on stdout.
//!
//! The message before a tool proposes the call, waits for the decision and claims the call; the agent is its executor. The
//! message after the tool reports the result. A result that never comes shows as a call with an unknown outcome.

mod agent;
mod answer;
mod failure;
mod message;
mod result;
mod running_calls;

pub use agent::{HookAgent, HookEvent, UnknownHookAgent};
pub use failure::HookFailure;
pub use message::{HookMessage, MAX_MESSAGE_BYTES};

use crate::{
    AgentApprovalTerms, ApprovalOutcome,
    approval::{ClaimedCall, EditSupport},
    seek_approval,
};
use answer::HookAnswer;
use countersign_api::{ApprovalGate, Call, GateError, ProposeRequest, ThreadId, ToolName, random_id};
use running_calls::running_calls;
use std::time::Duration;

/// The settings of a hook.
#[derive(Clone, Copy)]
pub struct HookTerms<'a> {
    /// How long to wait for the decision of a person. It must be less than the time-out of the agent.
    pub wait: Duration,
    /// The lease of a claim, in seconds. The agent does not renew it.
    pub lease_seconds: u32,
    /// True to answer `defer` instead of a denial if no person has decided in time. Only Claude Code knows it.
    pub defers: bool,
    /// Where a person decides on a call, in words: the address of its page, or a command.
    pub decision_place: &'a (dyn Fn(&Call) -> String + Send + Sync),
}

/// Answers one message of an agent. Returns the JSON for stdout; empty if the agent needs none.
pub async fn answer_hook(
    gate: &dyn ApprovalGate,
    agent: HookAgent,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<String, HookFailure> {
    let answer = match message.event {
        HookEvent::BeforeTool => before_tool(gate, agent, message, terms).await?,
        HookEvent::PermissionRequest => permission_request(gate, agent, message, terms).await?,
        HookEvent::AfterTool | HookEvent::AfterToolFailure => {
            result::record_result(gate, agent, message).await?;
            HookAnswer::Silent
        }
    };
    Ok(answer.encode(agent, message.event)?)
}

/// Proposes the call and claims it.
async fn before_tool(
    gate: &dyn ApprovalGate,
    agent: HookAgent,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let (thread, request) = read_call(message)?;
    let executor = agent.executor(request.id.as_str());
    decide(gate, (&thread, &request), (&executor, agent.edits()), terms).await
}

/// Answers the question of an agent if it may run a tool. Its message has no id of the call. Usually, the hook before the tool
/// has claimed the call a moment ago; otherwise this proposes it.
async fn permission_request(
    gate: &dyn ApprovalGate,
    agent: HookAgent,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let (thread, request) = read_call(message)?;
    let hash = request.arguments.admit().map_err(|why| GateError::invalid("tool_input", &why))?;
    let is_claimed = |call: &Call| {
        let executor = call.execution.as_ref().map(|execution| execution.executor.as_str());
        call.arguments_hash == hash
            && call.place == request.place
            && executor.is_some_and(|executor| agent.is_before_tool(executor))
    };
    if running_calls(gate, &thread, &request.name).await?.iter().any(is_claimed) {
        return Ok(HookAnswer::allowed_by("Countersign allowed this call before"));
    }
    let executor = agent.permission_executor(request.id.as_str());
    decide(gate, (&thread, &request), (&executor, agent.permission_edits()), terms).await
}

async fn decide(
    gate: &dyn ApprovalGate,
    (thread, request): (&ThreadId, &ProposeRequest),
    (executor, edits): (&str, EditSupport),
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let approval =
        AgentApprovalTerms { executor, wait: Some(terms.wait), lease_seconds: terms.lease_seconds, edits };
    Ok(match seek_approval(gate, thread, request, approval).await? {
        ApprovalOutcome::Claimed(claimed) => allow(&claimed),
        ApprovalOutcome::Refused(reason) => HookAnswer::Deny { reason },
        ApprovalOutcome::Pending(call) => {
            let place = (terms.decision_place)(&call);
            let reason = format!(
                "No decision yet: call {} ({}) waits for a person. They decide at: {place}. Tell the user so. Repeat exactly the \
                 same call to wait again or to get the decision; people are not asked twice.",
                call.id, call.name
            );
            if terms.defers { HookAnswer::Defer { reason } } else { HookAnswer::Deny { reason } }
        }
    })
}

fn allow(claimed: &ClaimedCall) -> HookAnswer {
    let response = claimed.call.response.as_ref();
    let by = response.map_or_else(|| "Countersign".to_owned(), |response| response.principal.to_string());
    HookAnswer::Allow {
        reason: format!("allowed by {by}"),
        arguments: claimed.is_edited.then(|| claimed.call.arguments.clone()),
        note: response.and_then(|response| response.note.clone()),
    }
}

/// The thread and the proposal of the call that the message is about.
fn read_call(message: &HookMessage) -> Result<(ThreadId, ProposeRequest), HookFailure> {
    let bad = |field: &str, why: &dyn std::fmt::Display| HookFailure::BadMessage(format!("{field}: {why}"));
    let thread = ThreadId::new(&message.session_id).map_err(|why| bad("session_id", &why))?;
    let name = ToolName::new(&message.tool_name).map_err(|why| bad("tool_name", &why))?;
    let id = message.tool_use_id.clone().unwrap_or_else(|| random_id("call_"));
    let id = countersign_api::parse_call_id(&id).map_err(|why| bad("tool_use_id", &why))?;
    message.tool_input.admit_arguments().map_err(|why| bad("tool_input", &why))?;
    let request = ProposeRequest {
        id,
        name,
        arguments: message.tool_input.clone(),
        annotations: None,
        impact: None,
        description: message.describe_agent(),
        place: message.place(),
        definition: None,
        expires_in_seconds: None,
        replaces: None,
    };
    Ok((thread, request))
}
