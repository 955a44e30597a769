//! The hooks of coding agents: one process per message, JSON on stdin, JSON on stdout.
//!
//! The message before a tool proposes the call, waits for the decision and claims the call; the agent is its executor. The
//! message after the tool reports the result. A result that never comes shows as a call with an unknown outcome.

mod answer;
mod event;
mod failure;
mod generic;
mod links;
mod message;
mod program;
mod project;
mod result;
mod running_calls;
pub(crate) mod specific_output;

pub use answer::HookAnswer;
pub use event::HookEvent;
pub use failure::HookFailure;
pub(crate) use generic::AnyProgram;
pub use message::{HookMessage, HookOrigin, MAX_MESSAGE_BYTES};
pub use program::HookProgram;
pub use project::{find_project, start_folder};

use crate::{AgentApprovalTerms, ApprovalOutcome, EditSupport, approval::ClaimedCall, seek_approval};
use countersign_api::{
    ApprovalGate, Call, CallGate, GateError, ProposeRequest, ThreadId, ToolName, random_id,
};
use countersign_events::Source;
use running_calls::running_calls;
use std::time::Duration;

/// Hook settings.
#[derive(Clone, Copy)]
pub struct HookTerms<'a> {
    /// How long to wait for a person's decision. It must be less than the agent's time-out.
    pub wait: Duration,
    /// The claim lease, in seconds. The agent does not renew it.
    pub lease_seconds: u32,
    /// The answer to a call that a rule allows, without a person.
    pub rule_answer: RuleAllowance,
    /// The agent behind the hook, and where it works.
    pub origin: HookOrigin<'a>,
    /// Whether the agent that runs this hook is known to ignore changed arguments, for example because it borrows the hooks of
    /// another agent.
    pub ignores_edits: bool,
    /// True to answer `defer` instead of a denial if no person has decided in time. Only Claude Code knows it.
    pub defers: bool,
    /// Where a person decides on a call, in words: the address of its page, or a command.
    pub decision_place: &'a (dyn Fn(&Call) -> String + Send + Sync),
}

/// How a hook answers a call that a rule allows, without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleAllowance {
    /// The agent runs the call, whatever its own rules say.
    Allow,
    /// No decision: the agent's own rules still apply, and may ask or deny.
    None,
}

/// Answers one message of an agent. Returns the JSON for stdout; empty if the agent needs none.
pub async fn answer_hook(
    gate: &dyn ApprovalGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<String, HookFailure> {
    let answer = match message.event {
        HookEvent::BeforeTool => before_tool(gate, caller, message, terms).await?,
        HookEvent::SkillCommand => skill_command(gate, caller, message, terms).await?,
        HookEvent::PermissionRequest => permission_request(gate, caller, message, terms).await?,
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
    let (thread, request) = read_call(message, terms)?;
    let executor = caller.executor(request.id.as_str());
    let edits = if terms.ignores_edits { EditSupport::Unsupported } else { caller.edits() };
    decide(gate, message, &thread, &request, &executor, edits, terms).await
}

/// Proposes a command in the text of a skill, and claims it.
async fn skill_command(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let (thread, request) = read_call(message, terms)?;
    let executor = caller.skill_executor(request.id.as_str());
    decide(gate, message, &thread, &request, &executor, EditSupport::Unsupported, terms).await
}

/// Answers an agent's question if it may run a tool. Its message has no id of the call. Usually, the hook before the
/// tool has claimed the call a moment ago; otherwise this proposes it.
async fn permission_request(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let (thread, request) = read_call(message, terms)?;
    let hash = request.arguments.admit().map_err(|why| GateError::invalid("tool_input", &why))?;
    let is_claimed = |call: &Call| {
        let executor = call.execution.as_ref().map(|execution| execution.executor.as_str());
        call.arguments_hash == hash
            && call.place == request.place
            && executor.is_some_and(|executor| caller.is_before_tool(executor))
    };
    if let Some(call) =
        running_calls(gate, &thread, &request.name).await?.iter().find(|call| is_claimed(call))
    {
        return Ok(if leaves_decision(call, message, terms) {
            HookAnswer::NoDecision { arguments: None }
        } else {
            HookAnswer::allowed_by("Countersign allowed this call before")
        });
    }
    let executor = caller.permission_executor(request.id.as_str());
    decide(gate, message, &thread, &request, &executor, caller.permission_edits(), terms).await
}

async fn decide(
    gate: &dyn CallGate,
    message: &HookMessage,
    thread: &ThreadId,
    request: &ProposeRequest,
    executor: &str,
    edits: EditSupport,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let approval =
        AgentApprovalTerms { executor, wait: Some(terms.wait), lease_seconds: terms.lease_seconds, edits };
    Ok(match seek_approval(gate, thread, request, approval).await? {
        ApprovalOutcome::Claimed(claimed) => allow(&claimed, message, terms),
        ApprovalOutcome::Refused(reason) => HookAnswer::Deny { reason },
        ApprovalOutcome::Pending(call) => {
            let place = (terms.decision_place)(&call);
            let why = explain_request(&call);
            let reason = format!(
                "No decision yet: call {} ({}) waits for a person.{why} They decide at: {place}. Tell the user so. Repeat exactly \
                 the same call to wait again or to get the decision; people are not asked twice.",
                call.id, call.name
            );
            if terms.defers { HookAnswer::Defer { reason } } else { HookAnswer::Deny { reason } }
        }
    })
}

/// Why people are asked, as a sentence that names the rule.
fn explain_request(call: &Call) -> String {
    let Some(request) = &call.request else { return String::new() };
    let reason = &request.reason;
    match &request.rule {
        Some(rule) if !reason.contains(rule.as_str()) => format!(" Asked because: {reason} (rule {rule:?})."),
        _ => format!(" Asked because: {reason}."),
    }
}

/// Whether the agent's own rules decide on a call that may run: while it plans, and if only a rule allowed the call.
fn leaves_decision(call: &Call, message: &HookMessage, terms: HookTerms<'_>) -> bool {
    let source = call.response.as_ref().map(|response| response.source);
    // A grant and a mode are a person's decision; an advisor is none.
    let is_by_person = matches!(source, Some(Source::Approver | Source::Grant | Source::Mode));
    message.is_planning || terms.rule_answer == RuleAllowance::None && !is_by_person
}

/// The answer to a claimed call. It always has the approved arguments, so that those of another hook do not take their place.
fn allow(claimed: &ClaimedCall, message: &HookMessage, terms: HookTerms<'_>) -> HookAnswer {
    let approved = if claimed.is_edited { &claimed.call.arguments } else { &message.tool_input };
    if leaves_decision(&claimed.call, message, terms) {
        return HookAnswer::NoDecision { arguments: Some(approved.clone()) };
    }
    let response = claimed.call.response.as_ref();
    let by = response.map_or_else(|| "Countersign".to_owned(), |response| response.principal.to_string());
    HookAnswer::Allow {
        reason: format!("allowed by {by}"),
        arguments: Some(approved.clone()),
        is_edited: claimed.is_edited,
        note: response.and_then(|response| response.note.clone()),
    }
}

/// The thread and the proposal for the call that the message is about.
fn read_call(message: &HookMessage, terms: HookTerms<'_>) -> Result<(ThreadId, ProposeRequest), HookFailure> {
    let bad = |field: &str, why: &dyn std::fmt::Display| HookFailure::BadMessage(format!("{field}: {why}"));
    let thread = ThreadId::new(&message.session_id).map_err(|why| bad("session_id", &why))?;
    let name = ToolName::new(&message.tool_name).map_err(|why| bad("tool_name", &why))?;
    let id = message.tool_use_id.clone().unwrap_or_else(|| random_id("call_"));
    let id = countersign_api::parse_call_id(&id).map_err(|why| bad("tool_use_id", &why))?;
    message.tool_input.admit_arguments().map_err(|why| bad("tool_input", &why))?;
    let place = message.place(terms.origin);
    let place = place.map(|place| links::add_link_targets(place, &name, &message.tool_input));
    let request = ProposeRequest {
        id,
        name,
        arguments: message.tool_input.clone(),
        annotations: None,
        impact: None,
        description: message.description.clone(),
        place,
        definition: None,
        expires_in_seconds: None,
        replaces: None,
        // A call that is deferred comes back with the session, perhaps days later.
        withdraw_when_gone: !terms.defers,
    };
    Ok((thread, request))
}
