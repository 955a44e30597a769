//! Reading: where a call stands, what waits for people, the log by pages.

use crate::{Error, Filter, Store, error, queries, row};
use countersign_approvals::{
    Body, Call, CallId, Damaged, Event, Ledger, Sha256, Thread, ThreadId, Timestamp, ledger::Needs,
};
use sqlx::{Row, sqlite::SqliteRow};
use std::collections::BTreeMap;

/// Part of a longer list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next one begins: hand it in as `after`. `None` at the end.
    pub next: Option<i64>,
}

impl Store {
    /// Where that call stands.
    pub async fn call(&self, thread_id: &ThreadId, id: &CallId) -> Result<Option<Call>, Error> {
        let rows = sqlx::query(queries::CALL)
            .bind(thread_id.as_str())
            .bind(id.as_str())
            .fetch_all(&self.inner.readers)
            .await
            .map_err(|e| self.failed(&e))?;
        Ok(call_of(read(&rows)?)?)
    }

    /// The calls that wait for people, the oldest request first: those whose request comes after the
    /// one at `after` (0 for the first page), `limit` at most.
    pub async fn pending(
        &self,
        thread_id: Option<&ThreadId>,
        after: i64,
        limit: usize,
    ) -> Result<Page<Call>, Error> {
        // One more than asked for tells whether there is a next page.
        let most = i64::try_from(limit).unwrap_or(i64::MAX - 1) + 1;
        let query = match thread_id {
            None => sqlx::query(queries::PENDING).bind(after).bind(most),
            Some(thread_id) => {
                sqlx::query(queries::PENDING_OF_THREAD).bind(after).bind(most).bind(thread_id.as_str())
            }
        };
        let rows = query.fetch_all(&self.inner.readers).await.map_err(|e| self.failed(&e))?;
        let mut calls: BTreeMap<i64, Vec<Event>> = BTreeMap::new();
        for found in &rows {
            calls.entry(found.get(0)).or_default().push(row::event(found, 1)?);
        }
        let next = (calls.len() > limit).then(|| calls.keys().nth(limit.checked_sub(1)?).copied()).flatten();
        // One call that cannot be read, written by hand, must not hide all the others.
        let unreadable = |damaged: &Damaged| tracing::error!(%damaged, "a call that waits cannot be shown");
        let shown = calls.into_values().take(limit);
        let items = shown.filter_map(|call| call_of(call).inspect_err(unreadable).ok()?);
        Ok(Page { items: items.collect(), next })
    }

    /// The events of `filter` after `after`, `limit` at most.
    pub async fn events(&self, filter: &Filter, after: i64, limit: usize) -> Result<Vec<Event>, Error> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = match &filter.thread_id {
            None => sqlx::query(queries::EVENTS).bind(after).bind(most),
            Some(thread_id) => {
                sqlx::query(queries::EVENTS_OF_THREAD).bind(after).bind(most).bind(thread_id.as_str())
            }
        };
        let rows = query.fetch_all(&self.inner.readers).await.map_err(|e| self.failed(&e))?;
        Ok(read(&rows)?)
    }

    /// What holds for a thread: its grants, and whether it is closed.
    pub async fn thread(&self, thread_id: &ThreadId) -> Result<Thread, Error> {
        let rows = sqlx::query(queries::THREAD)
            .bind(thread_id.as_str())
            .fetch_all(&self.inner.readers)
            .await
            .map_err(|e| self.failed(&e))?;
        let mut ledger = Ledger::new(0, Sha256::ZERO);
        let mut events = read(&rows)?;
        events.sort_by_key(|event| event.seq);
        ledger.load(&Needs::default(), &events)?;
        Ok(ledger.thread(thread_id).cloned().unwrap_or_default())
    }

    /// How long the log is: the `seq` of its last event.
    pub async fn tip(&self) -> Result<i64, Error> {
        let tip = sqlx::query_scalar(queries::TIP).fetch_one(&self.inner.readers).await;
        tip.map_err(|e| self.failed(&e))
    }

    /// When an open request lapses next.
    pub async fn next_expiry(&self) -> Result<Option<Timestamp>, Error> {
        let found: Option<String> = sqlx::query_scalar(queries::NEXT_EXPIRY)
            .fetch_one(&self.inner.readers)
            .await
            .map_err(|e| self.failed(&e))?;
        Ok(found.and_then(|moment| moment.parse().ok()))
    }

    /// The calls whose request has lapsed at `now` and whose expiry nobody has carried out yet.
    pub async fn expired(&self, now: Timestamp, limit: i64) -> Result<Vec<(ThreadId, CallId)>, Error> {
        let rows = sqlx::query(queries::EXPIRED)
            .bind(now.to_string())
            .bind(limit)
            .fetch_all(&self.inner.readers)
            .await
            .map_err(|e| self.failed(&e))?;
        // A row by hand may lack a name, or have one that nothing can be called by.
        let text = |found: &SqliteRow, index: usize| found.try_get::<String, _>(index).ok();
        let name = |found: &SqliteRow| {
            Some((ThreadId::new(&text(found, 0)?).ok()?, CallId::new(&text(found, 1)?).ok()?))
        };
        Ok(rows.iter().filter_map(name).collect())
    }

    pub(crate) fn failed(&self, e: &sqlx::Error) -> Error {
        match e {
            sqlx::Error::PoolClosed => Error::Closed,
            _ => error::of_sqlite(self.path(), e),
        }
    }
}

/// The call that those events make.
fn call_of(mut events: Vec<Event>) -> Result<Option<Call>, Damaged> {
    events.sort_by_key(|event| event.seq);
    events.iter().try_fold(None, |call, event| {
        let body = Body::read(event.seq, event.kind, &event.data)?;
        Call::evolve(call, event, body)
    })
}

fn read(rows: &[SqliteRow]) -> Result<Vec<Event>, Damaged> {
    rows.iter().map(|found| row::event(found, 0)).collect()
}
