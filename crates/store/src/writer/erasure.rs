//! Erases the texts of calls in the transaction that appends their `CALL_ERASED` events.

use super::rows::json;
use crate::{
    database::{BatchFailure, SqlQuery, WriteSession},
    queries, row,
};
use countersign_approvals::{ApprovalCommand, CallCommand, CommandEnvelope, RecordedEvent};
use countersign_events::{Body, Event, ThreadId, event::CallErased, sealed};

/// True if the command changes rows, which takes more statements than the one that appends events.
pub(super) fn erases_texts(command: &CommandEnvelope) -> bool {
    matches!(command.command, ApprovalCommand::Call(CallCommand::Erase(_)))
}

/// Erases the texts of the calls whose erasure is among the events of the open transaction.
pub(super) async fn erase_texts<D: WriteSession>(
    session: &mut D,
    events: &[RecordedEvent],
) -> Result<(), BatchFailure> {
    for event in events {
        if let Body::CallErased(erased) = &*event.body {
            erase_texts_of_call(session, &event.thread_id, erased).await?;
        }
    }
    Ok(())
}

async fn erase_texts_of_call<D: WriteSession>(
    session: &mut D,
    thread_id: &ThreadId,
    erased: &CallErased,
) -> Result<(), BatchFailure> {
    let call = SqlQuery::new(queries::CALL).bind(thread_id.as_str()).bind(erased.tool_call_id.as_str());
    let rows = session.query_all(call).await?;
    let read = rows.iter().map(|found| row::read_event(found, 0)).collect::<Result<Vec<Event>, _>>();
    let events = read.map_err(|damaged| BatchFailure::Some(damaged.into()))?;
    let is_named = |event: &&Event| erased.rows.iter().any(|row| row.seq == event.seq);
    let sealed =
        |event: &Event| (event.seq, sealed::erase_texts(event.kind, &event.data).as_str().to_owned());
    let replaced: Vec<_> = events.iter().filter(is_named).map(sealed).collect();
    session.query_all(SqlQuery::new(D::REPLACE_DATA).bind(json(&replaced))).await?;
    Ok(())
}
