//! Prompts of the agent itself: a question or a request for permission that its user sees in the agent's own window. People may
//! answer it in the inbox, too. The first answer counts, and the other place withdraws it.

use super::{
    answer::HookAnswer,
    asked_call::{asked_id, find_claimed},
    failure::HookFailure,
    message::HookMessage,
    program::HookProgram,
    proposal::{answer_outcome, decide_with, edits_of, read_call},
    question::{find_question, needs_person},
    terms::HookTerms,
};
use crate::ApprovalOutcome;
use countersign_api::{
    ApprovalGate, Call, CallGate, CallState, CancelRequest, ErrorCode, GateError, Json, LogFilter,
    ProposeRequest, ResultRequest, ThreadId,
};
use countersign_events::{QuestionForm, Status, json::JsonTree};
use futures_util::StreamExt;
use std::time::Duration;

/// Why the call for people ends.
const LEFT: &str = "the time for an answer in the inbox is over; the agent's own window still asks";

/// Asks people about a prompt of the agent, beside its own window if it has one. `claimed` is the call that the hook before the tool
/// has claimed.
pub(super) async fn offer_prompt(
    gate: &dyn ApprovalGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    thread: &ThreadId,
    request: &ProposeRequest,
    claimed: &Call,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let is_attended = terms.prompts.is_attended;
    let own_time = terms.prompts.own_time.filter(|_| is_attended && find_question(caller, message).is_some());
    let mut terms = terms;
    if let Some(own_time) = own_time {
        terms.wait = terms.wait.saturating_sub(own_time);
        if terms.wait.is_zero() {
            return Ok(HookAnswer::NoDecision { arguments: None });
        }
        if ends_within(gate, claimed, own_time).await? {
            return Ok(HookAnswer::NoDecision { arguments: None });
        }
    }
    let description = if is_attended {
        "the agent asks in its own window, too; the first answer counts"
    } else {
        "the agent asks its user, and nobody sits in front of it"
    };
    let asked = ProposeRequest {
        id: asked_id(&claimed.id)?,
        definition: Some(needs_person()),
        description: Some(request.description.clone().unwrap_or_else(|| description.to_owned())),
        ..request.clone()
    };
    let executor = caller.permission_executor(asked.id.as_str());
    let outcome = decide_with(gate, thread, &asked, &executor, caller.permission_edits(), terms).await?;
    if let (ApprovalOutcome::Pending(call), true) = (&outcome, is_attended) {
        let cancel = CancelRequest { reason: Some(LEFT.to_owned()) };
        gate.cancel(thread, &call.id, &cancel).await?;
        return Ok(HookAnswer::NoDecision { arguments: None });
    }
    Ok(answer_outcome(outcome, caller, message, terms))
}

/// Asks people to fill in the form of an MCP server, if nobody sits in front of the agent. Otherwise, or if nobody answers in time,
/// the agent's own window asks: the agent opens it only after its hooks.
pub(super) async fn answer_form(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<HookAnswer, HookFailure> {
    let (thread, mut request) = read_call(message, terms)?;
    if terms.prompts.asks_own_user() || QuestionForm::read(&request.name, &request.arguments).is_none() {
        return Ok(HookAnswer::Silent);
    }
    request.definition = Some(needs_person());
    let executor = caller.executor(request.id.as_str());
    let edits = edits_of(caller, terms);
    let call = match decide_with(gate, &thread, &request, &executor, edits, terms).await? {
        ApprovalOutcome::Claimed(claimed) => claimed.call,
        ApprovalOutcome::Refused(reason) => return Ok(HookAnswer::Deny { reason }),
        ApprovalOutcome::Pending(_) => return Ok(HookAnswer::Silent),
    };
    let content = JsonTree::parse(&call.arguments).and_then(|tree| Some(tree.get("content")?.to_json()));
    let (status, said) = match content {
        Some(_) => (Status::Success, "the answer was given to the server"),
        None => (Status::Cancelled, "people gave no answer, so the agent asks its own user"),
    };
    let result =
        ResultRequest { status, content: Json::string(said), executor: Some(executor), ran_arguments: None };
    gate.finish(&thread, &call.id, &result).await?;
    Ok(content.map_or(HookAnswer::Silent, |content| HookAnswer::Content { content }))
}

/// Waits while the agent's user may answer in the agent's window. Returns true if the claimed call has ended, which its report says
/// that follows each answer.
async fn ends_within(gate: &dyn ApprovalGate, claimed: &Call, span: Duration) -> Result<bool, GateError> {
    tokio::select! {
        // A gate that does not let its caller read events can still be asked about the call after the time.
        Ok(()) = wait_for_end(gate, claimed) => Ok(true),
        () = pause(span) => Ok(!is_running(gate, claimed).await?),
    }
}

/// Waits until the call has ended.
async fn wait_for_end(gate: &dyn ApprovalGate, claimed: &Call) -> Result<(), GateError> {
    let thread = &claimed.thread_id;
    // Subscribe before reading the call, so that its end does not fall between.
    let mut events = gate.follow(LogFilter::of_thread(thread), gate.tip(Some(thread)).await?);
    while is_running(gate, claimed).await? {
        match events.next().await {
            Some(event) => drop(event?),
            None => return Err(GateError::new(ErrorCode::ShuttingDown, "the events ended")),
        }
    }
    Ok(())
}

async fn is_running(gate: &dyn ApprovalGate, claimed: &Call) -> Result<bool, GateError> {
    Ok(gate.call(&claimed.thread_id, &claimed.id).await?.state == CallState::Running)
}

#[expect(clippy::disallowed_methods, reason = "the agent's user answers in the time of the machine")]
async fn pause(span: Duration) {
    tokio::time::sleep(span).await;
}

/// Withdraws the call of a message, because the agent does not wait for its hook any more.
pub async fn withdraw_call(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
    terms: HookTerms<'_>,
) -> Result<(), HookFailure> {
    let (thread, request) = read_call(message, terms)?;
    let id = match &message.tool_use_id {
        Some(_) => request.id,
        None => match find_claimed(gate, caller, &thread, &request).await? {
            Some(call) => asked_id(&call.id)?,
            None => return Ok(()),
        },
    };
    let reason = Some("the agent stopped waiting".to_owned());
    match gate.cancel(&thread, &id, &CancelRequest { reason }).await {
        Err(error) if error.code != ErrorCode::UnknownCall => Err(error.into()),
        _ => Ok(()),
    }
}
