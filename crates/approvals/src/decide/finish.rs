//! Finish: the result of a call that was claimed.

use super::{DecisionContext, FinishCommand, NewEvent};
use crate::{Call, CallStanding, Refused};
use countersign_events::{
    Body,
    event::{Status, ToolResult},
};

/// A result counts even after the lease has lapsed: late knowledge is better than none. Only the caller that claimed the call
/// reports it: everyone who sees the call sees the executor's name. After a takeover the result must also name its executor,
/// so that the result of the lost executor is not taken for that of the new one.
pub(super) fn finish(
    call: &Call,
    finish: &FinishCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    if !matches!(finish.status, Status::Success | Status::Error | Status::Cancelled) {
        let why = "an executor reports success, error or cancelled".to_owned();
        return Err(Refused::Invalid { field: "status", why });
    }
    if let Some(first) = call.result() {
        let same = first.what.status == finish.status && first.what.content == finish.content;
        return if same {
            Ok(Vec::new())
        } else {
            Err(Refused::AlreadyFinished { result: Box::new(first.clone()) })
        };
    }
    let CallStanding::Running { claim, .. } = &call.standing else {
        return Err(Refused::NotClaimed { state: call.state(context.now) });
    };
    let was_taken_over = !call.course.lost.is_empty();
    let is_named =
        finish.executor.as_ref().map_or(!was_taken_over, |executor| *executor == claim.what.executor);
    if !is_named || claim.by != *context.by {
        return Err(Refused::NotTheExecutor { executor: claim.what.executor.clone() });
    }
    let result = ToolResult {
        tool_call_id: call.id().clone(),
        status: finish.status,
        content: finish.content.clone(),
    };
    Ok(vec![NewEvent::new(context.by, Body::ToolResult(result))])
}
