//! The calls that run.

use countersign_api::{
    ApprovalGate, Call, CallState, CallStateFilter, GateError, LogFilter, PageQuery, ThreadId, ToolName,
};

/// The most running calls of a thread in which a call is looked for.
const MOST_RUNNING_CALLS: usize = 50;

/// The running calls of this agent for a tool, the newest first.
pub(super) async fn running_calls(
    gate: &dyn ApprovalGate,
    thread: &ThreadId,
    tool: &ToolName,
) -> Result<Vec<Call>, GateError> {
    let filter = LogFilter { tool: Some(tool.clone()), ..LogFilter::of_thread(thread) };
    let running = Some(CallStateFilter::State(CallState::Running));
    let page = PageQuery { after: 0, limit: MOST_RUNNING_CALLS };
    Ok(gate.calls(&filter, running, page).await?.calls)
}
