//! Archive: a closed thread's content leaves the log, because an archive file has it.

use super::{DecisionContext, NewEvent, eligible};
use crate::Refused;
use countersign_events::{Body, ThreadArchived};

/// The maximum length of an archive file name, in bytes.
const MAX_NAME: usize = 255;

/// The caller has already made the file durable. The store replaces the content in the transaction that appends the
/// event (for a long thread, in later ones), and refuses if the log and the file have different events of the thread.
pub(super) fn archive(
    archived: &ThreadArchived,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(context.by)?;
    let invalid = |field, why: &str| Err(Refused::Invalid { field, why: why.to_owned() });
    match &context.thread.archived {
        Some(before) if before.what.digest == archived.digest => return Ok(Vec::new()),
        Some(before) => return Err(Refused::CallArchived { file: before.what.file.clone() }),
        None => {}
    }
    if let Some(fact) = context.thread.restriction() {
        return Err((*fact).into());
    }
    let Some(closed) = &context.thread.closed else {
        return invalid("thread", "it is open, and only a closed thread can be archived: close it first");
    };
    if archived.file.is_empty() || archived.file.len() > MAX_NAME || archived.file.contains('/') {
        return invalid("file", "it must be the name of a file, without its folder");
    }
    if archived.through < closed.seq || archived.events == 0 {
        return invalid("through", "the archive must have all events of the thread, with its closing");
    }
    Ok(vec![NewEvent::new(context.by, Body::ThreadArchived(archived.clone()))])
}
