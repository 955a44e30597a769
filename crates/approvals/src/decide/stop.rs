//! Stop: deny all pending calls at once, as far as the caller may deny them.

use super::{DecisionContext, NewEvent, RespondCommand, StopCommand, eligible, respond};
use crate::{Call, Refused, event::Decision};

/// Calls that only other approvers may deny stay pending. The answer of the gate lists them.
pub(super) fn stop<'a>(
    pending: impl Iterator<Item = &'a Call>,
    stop: &StopCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(context.by)?;
    let denial = RespondCommand { comment: stop.comment.clone(), ..RespondCommand::plain(Decision::Deny) };
    let is_selected = |call: &&Call| stop.tool.as_ref().is_none_or(|tool| *tool == call.proposal.what.name);
    let deny = |call: &'a Call| respond::respond(call, &denial, context).unwrap_or_default();
    Ok(pending.filter(is_selected).flat_map(deny).collect())
}
