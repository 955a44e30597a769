//! Stopping: everything that waits is denied at once, as far as whoever wants it may deny it.

use super::{Context, Draft, Respond, Stop, eligible, respond};
use crate::{Call, Refused};
use countersign_events::event::Decision;

/// What somebody else has to deny stays as it is: the answer of the gate tells which that is.
pub(super) fn stop<'a>(
    pending: impl Iterator<Item = &'a Call>,
    stop: &Stop,
    context: &Context<'_>,
) -> Result<Vec<Draft>, Refused> {
    eligible::is_person(context.by)?;
    let denial = Respond { comment: stop.comment.clone(), ..Respond::plain(Decision::Deny) };
    let meant = |call: &&Call| stop.tool.as_ref().is_none_or(|tool| *tool == call.proposal.what.name);
    let denied = |call: &'a Call| respond::respond(call, &denial, context).unwrap_or_default();
    Ok(pending.filter(meant).flat_map(denied).collect())
}
