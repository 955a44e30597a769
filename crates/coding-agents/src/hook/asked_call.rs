//! The call under which people are asked about a prompt of the agent, and the call that the prompt is about.

use super::{program::HookProgram, running_calls::running_calls};
use countersign_api::{
    Call, CallGate, CallId, CallState, CancelRequest, ErrorCode, GateError, ProposeRequest, ResultRequest,
    ThreadId,
};

/// The end of the id under which people are asked about a prompt.
const ASKED: &str = ".asked";

/// Why the call for people ends.
const ANSWERED: &str = "answered in the agent's own window";

/// The id under which people are asked about the prompt of a call.
pub(super) fn asked_id(call: &CallId) -> Result<CallId, GateError> {
    countersign_api::parse_call_id(&format!("{call}{ASKED}"))
}

/// The call for people about a prompt of this call, if there is one.
pub(super) async fn find_asked(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    thread: &ThreadId,
    call: &CallId,
) -> Result<Option<Call>, GateError> {
    let (true, Ok(id)) = (caller.prompts_beside_hooks(), asked_id(call)) else { return Ok(None) };
    match gate.call(thread, &id).await {
        Ok(call) => Ok(Some(call)),
        Err(error) if matches!(error.code, ErrorCode::UnknownCall | ErrorCode::UnknownThread) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Ends the call for people once the agent has reported how the prompt ended: withdraws it, or records the result of the call that
/// they allowed.
pub(super) async fn end_asked(
    gate: &dyn CallGate,
    thread: &ThreadId,
    asked: &Call,
    result: ResultRequest,
) -> Result<(), GateError> {
    match asked.state {
        CallState::Pending | CallState::Allowed => {
            let cancel = CancelRequest { reason: Some(ANSWERED.to_owned()) };
            match gate.cancel(thread, &asked.id, &cancel).await {
                // A person decided at the same moment, too late.
                Ok(_)
                | Err(GateError { code: ErrorCode::AlreadyDecided | ErrorCode::AlreadyClaimed, .. }) => {
                    Ok(())
                }
                Err(error) => Err(error),
            }
        }
        CallState::Running => {
            let executor = asked.execution.as_ref().map(|execution| execution.executor.clone());
            gate.finish(thread, &asked.id, &ResultRequest { executor, ..result }).await.map(drop)
        }
        _ => Ok(()),
    }
}

/// The running call with these arguments in this place that the hook before the tool has claimed.
pub(super) async fn find_claimed(
    gate: &dyn CallGate,
    caller: &dyn HookProgram,
    thread: &ThreadId,
    request: &ProposeRequest,
) -> Result<Option<Call>, GateError> {
    let hash = request.arguments.admit().map_err(|why| GateError::invalid("tool_input", &why))?;
    let is_claimed = |call: &Call| {
        let executor = call.execution.as_ref().map(|execution| execution.executor.as_str());
        call.arguments_hash == hash
            && call.place == request.place
            && executor.is_some_and(|executor| caller.is_before_tool(executor))
    };
    Ok(running_calls(gate, thread, &request.name).await?.into_iter().find(is_claimed))
}
