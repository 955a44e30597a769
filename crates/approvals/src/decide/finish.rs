//! Finishing: what came of a call that was claimed.

use super::{Context, Draft};
use crate::{Call, Refused, Standing};
use countersign_events::{
    Body, Json,
    event::{Status, ToolResult},
};

/// An executor's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    /// `success`, `error` or `cancelled`: the others are the gate's own words.
    pub status: Status,
    /// What came of it.
    pub content: Json,
    /// Who ran it; if it is said, it must be whoever claimed the call, and after a takeover it must be said.
    pub executor: Option<String>,
}

/// A result counts also after the lease has lapsed: late knowledge is better than none. Once somebody else has taken
/// the call over, a result says whose it is, or that of the executor that was lost would pass for the other's.
pub(super) fn finish(call: &Call, finish: &Finish, context: &Context<'_>) -> Result<Vec<Draft>, Refused> {
    if !matches!(finish.status, Status::Success | Status::Error | Status::Cancelled) {
        let why = "an executor reports success, error or cancelled".to_owned();
        return Err(Refused::Invalid { field: "status", why });
    }
    finish.content.admit().map_err(|why| Refused::bad_json("content", &why))?;
    if let Some(first) = call.result() {
        let same = first.what.status == finish.status && first.what.content == finish.content;
        return if same {
            Ok(Vec::new())
        } else {
            Err(Refused::AlreadyFinished { result: Box::new(first.clone()) })
        };
    }
    let Standing::Running { claim, .. } = &call.standing else {
        return Err(Refused::NotClaimed { state: call.state(context.now) });
    };
    let is_taken_over = !call.course.lost.is_empty();
    if finish.executor.as_ref().map_or(is_taken_over, |executor| *executor != claim.what.executor) {
        return Err(Refused::NotTheExecutor { executor: claim.what.executor.clone() });
    }
    let ended = ToolResult {
        tool_call_id: call.id().clone(),
        status: finish.status,
        content: finish.content.clone(),
    };
    Ok(vec![Draft::new(context.by, Body::ToolResult(ended))])
}
