//! Finish: the result of a call that was claimed.

use super::{DecisionContext, FinishCommand, NewEvent};
use crate::{Call, CallStanding, Refused};
use countersign_events::{
    Body,
    event::{Status, ToolResult},
};

/// A result counts even after the lease has lapsed: late knowledge is better than none. After a takeover the
/// result must name its executor, so that the result of the lost executor is not taken for that of the new one.
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
    if finish.executor.as_ref().map_or(was_taken_over, |executor| *executor != claim.what.executor) {
        return Err(Refused::NotTheExecutor { executor: claim.what.executor.clone() });
    }
    let result = ToolResult {
        tool_call_id: call.id().clone(),
        status: finish.status,
        content: finish.content.clone(),
    };
    Ok(vec![NewEvent::new(context.by, Body::ToolResult(result))])
}
