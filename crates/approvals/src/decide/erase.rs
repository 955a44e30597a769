//! Erase: replaces an ended call's content with its hashes, because a law requires it. The log keeps who decided what
//! and when.

use super::{CommandFailure, DecisionContext, EraseCommand, NeededEvidence, NewEvent, eligible};
use crate::{Call, GrantScope, Refused};
use countersign_events::{Body, CallErased};

pub(super) fn erase(
    call: &Call,
    command: &EraseCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, CommandFailure> {
    eligible::check_is_person(context.by)?;
    if call.course.erasure.is_some() {
        return Ok(Vec::new());
    }
    if let Some(archived) = &context.thread.archived
        && command.archive != Some(archived.what.digest)
    {
        return Err(Refused::CallArchived { file: archived.what.file.clone() }.into());
    }
    let Some(result) = call.result() else {
        return Err(Refused::CallOpen { state: call.state(context.now) }.into());
    };
    // An erased pattern matches nothing, so to erase it would change which calls wait for a person.
    let is_pattern =
        |scope: &Option<GrantScope>| !matches!(scope, Some(GrantScope::Exact | GrantScope::Tool));
    let mut standing = context.thread.standing(context.now);
    if let Some(grant) = standing.find(|grant| grant.tool_call_id == *call.id() && is_pattern(&grant.scope)) {
        return Err(Refused::GrantInForce { grant: grant.seq }.into());
    }
    if command.reason.trim().is_empty() {
        let why = "say why the content is erased; the log keeps the reason".to_owned();
        return Err(Refused::Invalid { field: "reason", why }.into());
    }
    // Each call has arguments, and each result has a content. Rows that end before the result were read too early.
    let has = |seq: i64| command.rows.iter().any(|row| row.seq == seq);
    if !has(call.proposal.seq) || !has(result.seq) {
        return Err(NeededEvidence::ContentHashes.into());
    }
    let erased = CallErased {
        tool_call_id: call.id().clone(),
        reason: context.mask(&command.reason),
        rows: command.rows.clone(),
    };
    Ok(vec![NewEvent::new(context.by, Body::CallErased(erased))])
}
