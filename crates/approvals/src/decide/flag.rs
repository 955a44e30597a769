//! Flag: a person complains that a call was allowed. The complaint changes nothing about the call; it counts against an
//! advisor that allowed it.

use super::{DecisionContext, NewEvent, eligible};
use crate::{Call, Refused};
use countersign_events::{Body, CallFlagged, ErasedTexts};

/// Records the complaint. Each person flags a call once.
pub(super) fn flag(
    call: &Call,
    comment: Option<&str>,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(context.by)?;
    if let Some(archived) = &context.thread.archived {
        return Err(Refused::CallArchived { file: archived.what.file.clone() });
    }
    if call.course.erasure.is_some() {
        return Err(Refused::Invalid { field: "call", why: "its content was erased".to_owned() });
    }
    if !call.response().is_some_and(|response| response.what.decision.allows()) {
        return Err(Refused::NotFlaggable { state: call.state(context.now) });
    }
    if call.course.flags.iter().any(|flag| flag.by.is_same_actor(context.by)) {
        return Ok(Vec::new());
    }
    let flagged = CallFlagged {
        tool_call_id: call.id().clone(),
        comment: context.mask_optional(comment),
        erased: ErasedTexts::new(),
    };
    Ok(vec![NewEvent::new(context.by, Body::CallFlagged(flagged))])
}
