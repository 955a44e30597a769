//! Parts of lists: bounded in number, and in bytes too, for arguments may be large and a page may not.

use crate::{
    Store, StoreError,
    database::{BoundedRows, SqlQuery, SqlRow},
    row,
};
use countersign_approvals::Call;
use countersign_events::{Body, DamagedEvent, Event};
use std::time::Instant;

/// Part of a longer list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultPage<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next one begins: hand it in as `after`. `None` at the end. A page that a filter leaves
    /// few of, or none, may have a next one all the same: no more than a span of the log is searched for it.
    pub next: Option<i64>,
}

/// How many bytes of events are taken for one page: more than any one call has.
pub(crate) const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Where a row of an event has its data.
pub(crate) const DATA: usize = 5;

/// Calls by the seq that their rows begin with, in the order of the rows.
pub(crate) struct CallRows {
    pub(crate) items: Vec<(i64, Vec<Event>)>,
    pub(crate) cut: bool,
}

impl Store {
    /// Has a query answered, as far as what stands in the column `data` does not grow too large.
    pub(crate) async fn query_bounded_rows(
        &self,
        name: &'static str,
        query: SqlQuery,
        data: usize,
    ) -> Result<BoundedRows<SqlRow>, StoreError> {
        let began = Instant::now();
        let found = self.inner.readers.query_bounded(query, data, MOST_BYTES).await.map_err(|e| self.database_error(&e))?;
        self.inner.metrics.record_query(name, began);
        Ok(found)
    }

    /// Has a query answered whose rows say first of which call they are, call by call.
    pub(crate) async fn query_calls(
        &self,
        name: &'static str,
        query: SqlQuery,
    ) -> Result<CallRows, StoreError> {
        let BoundedRows { rows, cut } = self.query_bounded_rows(name, query, DATA + 1).await?;
        let mut items: Vec<(i64, Vec<Event>)> = Vec::new();
        for found in &rows {
            let (seq, event) = (found.number(0).unwrap_or(0), row::read_event(found, 1)?);
            match items.last_mut() {
                Some((last, events)) if *last == seq => events.push(event),
                _ => items.push((seq, vec![event])),
            }
        }
        // The last call may have been cut in two. A page holds more than any one call, so one is left.
        if cut && items.len() > 1 {
            items.pop();
        }
        Ok(CallRows { items, cut })
    }
}

/// The calls that can be read: one that cannot, written by hand, must not hide all the others.
pub(crate) fn readable_calls(calls: impl Iterator<Item = Vec<Event>>) -> impl Iterator<Item = Call> {
    let unreadable = |damaged: &DamagedEvent| tracing::error!(%damaged, "a call cannot be shown");
    calls.filter_map(move |call| replay_call(call).inspect_err(unreadable).ok()?)
}

/// The call that those events make.
pub(crate) fn replay_call(mut events: Vec<Event>) -> Result<Option<Call>, DamagedEvent> {
    events.sort_by_key(|event| event.seq);
    events.iter().try_fold(None, |call, event| {
        let body = Body::read(event.seq, event.kind, &event.data)?;
        Call::evolve(call, event, body)
    })
}
