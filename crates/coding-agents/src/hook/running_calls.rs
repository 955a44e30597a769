//! The calls that run.

use countersign_api::{
    Call, CallGate, CallState, CallStateFilter, GateError, LogFilter, PageQuery, ThreadId, ToolName,
};

/// The most running calls of a thread in which a call is looked for.
const MOST_RUNNING_CALLS: usize = 50;

/// The running calls of this agent for a tool, the newest first.
pub(super) async fn running_calls(
    gate: &dyn CallGate,
    thread: &ThreadId,
    tool: &ToolName,
) -> Result<Vec<Call>, GateError> {
    list_running(gate, LogFilter { tool: Some(tool.clone()), ..LogFilter::of_thread(thread) }).await
}

/// The running calls of this agent for all tools, the newest first.
pub(super) async fn all_running_calls(
    gate: &dyn CallGate,
    thread: &ThreadId,
) -> Result<Vec<Call>, GateError> {
    list_running(gate, LogFilter::of_thread(thread)).await
}

async fn list_running(gate: &dyn CallGate, filter: LogFilter) -> Result<Vec<Call>, GateError> {
    let running = Some(CallStateFilter::State(CallState::Running));
    let filter = LogFilter { principal: Some(gate.principal().clone()), ..filter };
    let page = PageQuery { after: 0, limit: MOST_RUNNING_CALLS };
    Ok(gate.calls(&filter, running, page).await?.calls)
}
