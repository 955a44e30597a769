//! Call results, as the agent reports them after the tool.

use super::{
    answer::HookAnswer,
    asked_call::{end_asked, find_asked},
    event::HookEvent,
    failure::HookFailure,
    message::HookMessage,
    program::HookProgram,
    running_calls::{all_running_calls, running_calls},
};
use countersign_api::{
    ApprovalGate, Call, CallGate, CallId, CallState, ErrorCode, GateError, Json, ResultRequest,
    SendOperation, Sha256, ThreadId, ToolName, operations,
};
use countersign_events::{Mode, Status};

/// How many characters the log keeps of a response that is larger than a result may be.
const KEPT_CHARACTERS: usize = 64 * 1024;

/// The result for a call that the agent did not run, or about which it reported nothing.
const REFUSED: &str = "not run: the agent's own rules refused it";
const UNREPORTED: &str = "not run, or interrupted: the agent reported no result before its session ended";

/// Records the call result, and what the agent says that it ran. A call that Countersign does not know, because the
/// hooks were installed meanwhile, has no result to record.
pub(super) async fn record_result(
    gate: &dyn ApprovalGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
) -> Result<HookAnswer, HookFailure> {
    let thread = read_thread(message)?;
    let failed = message.event == HookEvent::AfterToolFailure || message.error.is_some();
    let content = match (&message.error, &message.tool_response) {
        (Some(error), _) => Json::string(error),
        (None, Some(response)) => shorten(response),
        (None, None) => Json::null(),
    };
    let status = if failed { Status::Error } else { Status::Success };
    let ran_arguments = ran_arguments(caller, message);
    let Some((id, executor)) = find_reported_call(gate, caller, &thread, message).await? else {
        return Ok(HookAnswer::Silent);
    };
    let asked = find_asked(gate, caller, &thread, &id).await?;
    let result = ResultRequest { status, content, executor, ran_arguments };
    let own = match &asked {
        // What ran is what people allowed there.
        Some(asked) if asked.state == CallState::Running => {
            ResultRequest { ran_arguments: None, ..result.clone() }
        }
        _ => result.clone(),
    };
    let call = gate.finish(&thread, &id, &own).await?;
    if let Some(asked) = &asked {
        end_asked(gate, &thread, asked, result).await?;
    }
    let is_stopped = call.mismatch.is_some()
        && gate.send(operations::ShowMode { thread: thread.clone() }).await?.mode == Mode::Stopped;
    let why = call.describe_mismatch().filter(|_| is_stopped);
    Ok(why.map_or(HookAnswer::Silent, |why| HookAnswer::Stop {
        reason: format!("Countersign stopped this session: of call {id}, {why}. A person has to look at it."),
    }))
}

/// The arguments that the agent reports, if they can be compared with the approved ones.
fn ran_arguments(caller: &dyn HookProgram, message: &HookMessage) -> Option<Json> {
    let is_comparable = !caller.changes_reported_input(&message.tool_name);
    (is_comparable && message.tool_input.admit().is_ok()).then(|| message.tool_input.clone())
}

/// Ends a call that the agent's own rules refused after this hook allowed it.
pub(super) async fn record_refusal(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
) -> Result<(), HookFailure> {
    let thread = read_thread(message)?;
    if let Some((call, executor)) = find_claimed_call(gate, caller, &thread, message).await? {
        gate.finish(&thread, &call.id, &not_run(REFUSED, executor.clone())).await?;
        if let Some(asked) = find_asked(gate, caller, &thread, &call.id).await? {
            end_asked(gate, &thread, &asked, not_run(REFUSED, executor)).await?;
        }
    }
    Ok(())
}

/// Ends the session's calls for which the agent reported no result: it refused them, or its user interrupted them.
pub(super) async fn end_unreported_calls(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    message: &HookMessage,
) -> Result<(), HookFailure> {
    let thread = read_thread(message)?;
    let running = match all_running_calls(gate, &thread).await {
        Err(error) if is_unknown(&error) => return Ok(()),
        running => running?,
    };
    for call in running {
        if let Some(executor) = executor_of(&call).filter(|executor| caller.is_executor(executor)) {
            gate.finish(&thread, &call.id, &not_run(UNREPORTED, executor)).await?;
        }
    }
    Ok(())
}

fn not_run(why: &str, executor: String) -> ResultRequest {
    let content = Json::string(why);
    ResultRequest { status: Status::Cancelled, content, executor: Some(executor), ran_arguments: None }
}

fn read_thread(message: &HookMessage) -> Result<ThreadId, HookFailure> {
    ThreadId::new(&message.session_id).map_err(|why| HookFailure::BadMessage(format!("session_id: {why}")))
}

/// The call that a report is about: the one that a hook claimed, or one that the agent ran although nothing had
/// allowed it to start.
async fn find_reported_call(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    thread: &ThreadId,
    message: &HookMessage,
) -> Result<Option<(CallId, Option<String>)>, HookFailure> {
    if let Some((call, executor)) = find_claimed_call(gate, caller, thread, message).await? {
        return Ok(Some((call.id, Some(executor))));
    }
    let Some(id) = message.tool_use_id.as_deref().and_then(|id| countersign_api::parse_call_id(id).ok())
    else {
        return Ok(None);
    };
    match gate.call(thread, &id).await {
        Ok(call) if call.execution.is_none() && *gate.principal() == call.proposal.principal => {
            Ok(Some((id, Some(caller.executor(call.id.as_str())))))
        }
        Ok(_) => Ok(None),
        Err(error) if is_unknown(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Finds the call that the hook before the tool claimed: under the agent's id, or by the executor, which has that id.
async fn find_claimed_call(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    thread: &ThreadId,
    message: &HookMessage,
) -> Result<Option<(Call, String)>, HookFailure> {
    let own = message.tool_use_id.as_deref().map(|id| caller.executor(id));
    if let Some(id) = message.tool_use_id.as_deref().and_then(|id| countersign_api::parse_call_id(id).ok()) {
        match gate.call(thread, &id).await {
            Ok(call) => {
                let executor = executor_of(&call).filter(|executor| Some(executor) == own.as_ref());
                if let Some(executor) = executor.filter(|_| call.state != CallState::Finished) {
                    return Ok(Some((call, executor)));
                }
            }
            Err(error) if is_unknown(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let Ok(tool) = ToolName::new(&message.tool_name) else { return Ok(None) };
    let hash = message.tool_input.admit().ok();
    let running = running_calls(gate, thread, &tool).await?;
    let by_executor = |call: &&Call| own.is_some() && executor_of(call) == own;
    let by_arguments = |call: &&Call| is_same_run(call, caller, hash, own.is_some());
    let found = running.iter().find(by_executor).or_else(|| running.iter().rev().find(by_arguments));
    Ok(found.and_then(|call| Some((call.clone(), executor_of(call)?))))
}

/// Returns true if a hook that had no id claimed a call with these arguments.
fn is_same_run(call: &Call, caller: &dyn HookProgram, hash: Option<Sha256>, has_id: bool) -> bool {
    let Some(executor) = executor_of(call) else { return false };
    let by_permission = caller.is_executor(&executor) && !caller.is_before_tool(&executor);
    let without_id = !has_id && caller.is_executor(&executor);
    hash == Some(call.arguments_hash) && (by_permission || without_id)
}

fn executor_of(call: &Call) -> Option<String> {
    call.execution.as_ref().map(|execution| execution.executor.clone())
}

fn is_unknown(error: &GateError) -> bool {
    matches!(error.code, ErrorCode::UnknownCall | ErrorCode::UnknownThread)
}

/// The response as the log keeps it: unchanged, or the beginning of its text if a result must not be as large.
fn shorten(response: &Json) -> Json {
    if response.admit().is_ok() {
        return response.clone();
    }
    let text: String = response.as_str().chars().take(KEPT_CHARACTERS).collect();
    Json::string(&format!(
        "{text}… (shortened: the response is larger than a result may be, or no valid JSON)"
    ))
}
