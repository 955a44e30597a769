//! Stop: deny all pending calls at once, as far as the caller may deny them, and end all calls that are allowed and
//! have not started.

use super::{
    DecisionContext, NewEvent, RespondCommand, StopCommand, cancel::cancelled_result, eligible, respond,
};
use crate::{Call, Refused};
use countersign_events::{CallState, Decision};

/// The reason for a stop without a comment.
const STOPPED: &str = "it was stopped before it started";

/// Calls that only other approvers may deny stay pending. The gate's answer lists them. Any person may end an allowed
/// call, because that only restricts.
pub(super) fn stop<'a>(
    open: impl Iterator<Item = &'a Call>,
    stop: &StopCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(context.by)?;
    let denial = RespondCommand { comment: stop.comment.clone(), ..RespondCommand::plain(Decision::Deny) };
    let is_listed = |call: &Call| {
        let key = (call.thread_id.clone(), call.id().clone());
        stop.calls.as_ref().is_none_or(|calls| calls.contains(&key))
    };
    let is_of_tool = |call: &Call| stop.tool.as_ref().is_none_or(|tool| *tool == call.proposal.what.name);
    let is_selected = |call: &&Call| is_of_tool(call) && is_listed(call);
    let reason = stop.comment.as_deref().unwrap_or(STOPPED);
    let end = |call: &'a Call| match call.state(context.now) {
        CallState::Pending => respond::respond(call, &denial, context).unwrap_or_default(),
        CallState::Allowed => vec![cancelled_result(call, Some(reason), context)],
        _ => Vec::new(),
    };
    Ok(open.filter(is_selected).flat_map(end).collect())
}
