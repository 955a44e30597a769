//! Removes the content of calls and threads in the transaction that appends their `CALL_ERASED` and `THREAD_ARCHIVED`
//! events.

use super::rows::json;
use crate::{
    EVENTS_AT_ONCE,
    database::{BatchFailure, SqlQuery, WriteSession},
    queries, row,
};
use countersign_approvals::{RecordedEvent, Refused};
use countersign_events::{Body, CallErased, Event, ThreadArchived, ThreadId, sealed};

/// How many rows of a thread one statement changes.
const PAGE: i64 = 100;

/// Erases the content of the calls whose erasure is among the open transaction's events.
pub(super) async fn erase_texts<D: WriteSession>(
    session: &mut D,
    events: &[RecordedEvent],
) -> Result<(), BatchFailure> {
    for event in events {
        match &*event.body {
            Body::CallErased(erased) => erase_texts_of_call(session, &event.thread_id, erased).await?,
            Body::ThreadArchived(archived) => {
                remove_texts_of_thread(session, &event.thread_id, archived).await?;
            }
            _ => {}
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
    let mut events = read_rows(session, call).await?;
    events.retain(|event| erased.rows.iter().any(|row| row.seq == event.seq));
    replace_with_sealed_form(session, &events).await
}

/// Fails if log and archive differ in their rows. A long thread keeps its content for now:
/// [`Store::remove_archived_content`](crate::Store::remove_archived_content) removes it in small transactions.
async fn remove_texts_of_thread<D: WriteSession>(
    session: &mut D,
    thread_id: &ThreadId,
    archived: &ThreadArchived,
) -> Result<(), BatchFailure> {
    let count = SqlQuery::new(queries::COUNT_OF_THREAD).bind(thread_id.as_str()).bind(archived.through);
    let count = session.query_all(count).await?.first().and_then(|found| found.number(0)).unwrap_or(0);
    if u64::try_from(count) != Ok(archived.events) {
        let events = archived.events;
        let why = format!("the log has {count} events of thread {thread_id}, and the archive {events}");
        return Err(BatchFailure::Some(Refused::Invalid { field: "events", why }.into()));
    }
    let mut after = 0;
    while archived.events <= EVENTS_AT_ONCE && after < archived.through {
        let page = SqlQuery::new(queries::EVENTS_OF_THREAD).bind(after).bind(PAGE).bind(thread_id.as_str());
        let mut events = read_rows(session, page).await?;
        events.retain(|event| event.seq <= archived.through);
        let Some(last) = events.last() else { break };
        after = last.seq;
        replace_with_sealed_form(session, &events).await?;
    }
    Ok(())
}

async fn read_rows<D: WriteSession>(session: &mut D, query: SqlQuery) -> Result<Vec<Event>, BatchFailure> {
    let rows = session.query_all(query).await?;
    let read = rows.iter().map(|found| row::read_event(found, 0)).collect::<Result<Vec<Event>, _>>();
    read.map_err(|damaged| BatchFailure::Some(damaged.into()))
}

/// Replaces the data of rows that have erasable content with its sealed form.
async fn replace_with_sealed_form<D: WriteSession>(
    session: &mut D,
    events: &[Event],
) -> Result<(), BatchFailure> {
    if let Some(rows) = sealed_rows(events) {
        session.query_all(SqlQuery::new(D::REPLACE_DATA).bind(rows)).await?;
    }
    Ok(())
}

/// Returns sealed rows for `replace_data.sql`; `None` if no row has content.
pub(crate) fn sealed_rows(events: &[Event]) -> Option<String> {
    let sealed = |event: &Event| {
        let sealed = sealed::erase_texts(event.kind, &event.data);
        (sealed.as_str() != event.data.as_str()).then(|| (event.seq, sealed.as_str().to_owned()))
    };
    let replaced: Vec<_> = events.iter().filter_map(sealed).collect();
    (!replaced.is_empty()).then(|| json(&replaced))
}
