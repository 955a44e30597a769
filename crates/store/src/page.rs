//! Pages of lists. Their number of items and their size in bytes are limited, because arguments can be large.

use crate::{
    Store, StoreError,
    database::{BoundedRows, SqlQuery, SqlRow},
    page_limit::{DATA, MOST_BYTES},
    row,
};
use countersign_approvals::Call;
use countersign_events::{Body, DamagedEvent, Event};
use std::time::Instant;

/// Part of a longer list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultPage<T> {
    /// The items.
    pub items: Vec<T>,
    /// The next page's cursor, to pass as `after` or `before`; `None` at the end. A page with few or no items may have
    /// a next one, because each page searches only one span of the log.
    pub next: Option<i64>,
}

/// Calls in row order: the `seq` from the first column of a call's rows, and its events.
pub(crate) struct CallRows {
    pub(crate) items: Vec<(i64, Vec<Event>)>,
    /// Whether the byte limit left out further calls.
    pub(crate) cut: bool,
}

impl Store {
    /// Runs a query and returns rows until their `data` exceeds `most` bytes. `data` is the index of that column.
    pub(crate) async fn query_bounded_rows(
        &self,
        name: &'static str,
        query: SqlQuery,
        data: usize,
        most: usize,
    ) -> Result<BoundedRows<SqlRow>, StoreError> {
        let began = Instant::now();
        let found =
            self.inner.readers.query_bounded(query, data, most).await.map_err(|e| self.database_error(&e))?;
        self.inner.metrics.record_query(name, began);
        Ok(found)
    }

    /// Runs a query whose first column identifies the call, and groups its rows by call.
    pub(crate) async fn query_calls(
        &self,
        name: &'static str,
        query: SqlQuery,
    ) -> Result<CallRows, StoreError> {
        let BoundedRows { rows, cut } = self.query_bounded_rows(name, query, DATA + 1, MOST_BYTES).await?;
        let mut items: Vec<(i64, Vec<Event>)> = Vec::new();
        for found in &rows {
            let (seq, event) = (found.number(0).unwrap_or(0), row::read_event(found, 1)?);
            match items.last_mut() {
                Some((last, events)) if *last == seq => events.push(event),
                _ => items.push((seq, vec![event])),
            }
        }
        // The limit may have cut the last call's events, so leave it out. No single call reaches the limit, so at least
        // one call remains.
        if cut && items.len() > 1 {
            items.pop();
        }
        Ok(CallRows { items, cut })
    }
}

/// Replays each call and leaves out damaged ones. A damaged row, inserted with SQL, must not hide the other calls.
pub(crate) fn readable_calls(calls: impl Iterator<Item = Vec<Event>>) -> impl Iterator<Item = Call> {
    let unreadable = |damaged: &DamagedEvent| tracing::error!(%damaged, "a call cannot be shown");
    calls.filter_map(move |call| replay_call(call).inspect_err(unreadable).ok()?)
}

/// Replays the events of one call.
pub(crate) fn replay_call(mut events: Vec<Event>) -> Result<Option<Call>, DamagedEvent> {
    events.sort_by_key(|event| event.seq);
    events.iter().try_fold(None, |call, event| {
        let body = Body::read(event.seq, event.kind, &event.data)?;
        Call::evolve(call, event, body)
    })
}
