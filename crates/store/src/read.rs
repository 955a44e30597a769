//! Reading: where a call stands, what waits for people, what holds for a thread, the end of the log.

use crate::{Error, Filter, Store, error, queries, row, writer};
use countersign_approvals::{
    Body, Call, CallId, Damaged, Event, Ledger, Sha256, Thread, ThreadId, Timestamp, ledger::Needs,
};
use sqlx::{
    Row, Sqlite,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};
use std::{collections::BTreeMap, time::Instant};

/// Part of a longer list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next one begins: hand it in as `after`. `None` at the end. A page that a filter leaves
    /// few of, or none, may have a next one all the same: no more than a span of the log is searched for it.
    pub next: Option<i64>,
}

/// How many pages of open requests are looked through for one page of a filter.
const ROUNDS: usize = 16;

impl Store {
    /// Where that call stands.
    pub async fn call(&self, thread_id: &ThreadId, id: &CallId) -> Result<Option<Call>, Error> {
        let query = sqlx::query(queries::CALL).bind(thread_id.as_str()).bind(id.as_str());
        Ok(call_of(read(&self.rows("call", query).await?)?)?)
    }

    /// The tool of that call, if there is one.
    pub(crate) async fn tool_of_call(
        &self,
        thread_id: &ThreadId,
        id: &CallId,
    ) -> Result<Option<String>, Error> {
        let query = sqlx::query(queries::TOOL_OF_CALL).bind(thread_id.as_str()).bind(id.as_str());
        let rows = self.rows("tool_of_call", query).await?;
        Ok(rows.first().and_then(|found| found.try_get(0).ok()))
    }

    /// The calls that wait for people, the oldest request first: those of `filter` whose request comes after
    /// the one at `after` (0 for the first page), `limit` at most.
    pub async fn pending(&self, filter: &Filter, after: i64, limit: usize) -> Result<Page<Call>, Error> {
        let mut page = self.open_requests(filter.thread_id.as_ref(), after, limit).await?;
        if !filter.is_narrow() {
            return Ok(page);
        }
        page.items.retain(|call| filter.admits_pending(call));
        for _ in 1..ROUNDS {
            let Some(next) = page.next.filter(|_| page.items.len() < limit) else { break };
            let more = self.open_requests(filter.thread_id.as_ref(), next, limit).await?;
            page.items.extend(more.items.into_iter().filter(|call| filter.admits_pending(call)));
            page.next = more.next;
        }
        if page.items.len() > limit {
            page.items.truncate(limit);
            page.next = page.items.last().and_then(Call::request).map(|request| request.seq);
        }
        Ok(page)
    }

    async fn open_requests(
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
        let calls = grouped(&self.rows("pending", query).await?)?;
        let next = (calls.len() > limit).then(|| calls.keys().nth(limit.checked_sub(1)?).copied()).flatten();
        Ok(Page { items: readable(calls.into_values().take(limit)).collect(), next })
    }

    /// What holds for a thread: its grants, its settings, and whether it is closed.
    pub async fn thread(&self, thread_id: &ThreadId) -> Result<Thread, Error> {
        let rows = self.rows("thread", sqlx::query(queries::THREAD).bind(thread_id.as_str())).await?;
        let mut ledger = Ledger::new(0, Sha256::ZERO);
        let mut events = read(&rows)?;
        events.sort_by_key(|event| event.seq);
        ledger.load(&Needs::default(), &events)?;
        Ok(ledger.thread(thread_id).cloned().unwrap_or_default())
    }

    /// How long the log is: the `seq` of its last event.
    pub async fn tip(&self) -> Result<i64, Error> {
        self.number("tip", sqlx::query(queries::TIP)).await
    }

    /// The `seq` of the last event of a thread; 0 if it has none.
    pub async fn thread_tip(&self, thread_id: &ThreadId) -> Result<i64, Error> {
        self.number("thread_tip", sqlx::query(queries::THREAD_TIP).bind(thread_id.as_str())).await
    }

    /// Writes to the file, and reads back what was written.
    pub async fn probe(&self) -> Result<(), Error> {
        let now = self.clock().now();
        writer::probe(&self.inner.orders, now).await?;
        let rows = self.rows("probed", sqlx::query(queries::PROBED)).await?;
        // Another process may have written the same a moment later; older it cannot be.
        let found: Option<String> = rows.first().and_then(|found| found.get(0));
        match found {
            Some(_) => Ok(()),
            None => Err(Error::Broken {
                path: self.path().to_path_buf(),
                why: "what was written is not there".into(),
            }),
        }
    }

    /// How many requests are open, and since when the oldest is.
    pub async fn open_now(&self) -> Result<(i64, Option<Timestamp>), Error> {
        let rows = self.rows("open_now", sqlx::query(queries::OPEN_NOW)).await?;
        let Some(found) = rows.first() else { return Ok((0, None)) };
        let oldest: Option<String> = found.get(1);
        Ok((found.get(0), oldest.and_then(|moment| moment.parse().ok())))
    }

    /// When an open request lapses next.
    pub async fn next_expiry(&self) -> Result<Option<Timestamp>, Error> {
        let rows = self.rows("next_expiry", sqlx::query(queries::NEXT_EXPIRY)).await?;
        let found: Option<String> = rows.first().and_then(|found| found.get(0));
        Ok(found.and_then(|moment| moment.parse().ok()))
    }

    /// The calls whose request has lapsed at `now` and whose expiry nobody has carried out yet.
    pub async fn expired(&self, now: Timestamp, limit: i64) -> Result<Vec<(ThreadId, CallId)>, Error> {
        let rows =
            self.rows("expired", sqlx::query(queries::EXPIRED).bind(now.to_string()).bind(limit)).await?;
        // A row by hand may lack a name, or have one that nothing can be called by.
        let text = |found: &SqliteRow, index: usize| found.try_get::<String, _>(index).ok();
        let name = |found: &SqliteRow| {
            Some((ThreadId::new(&text(found, 0)?).ok()?, CallId::new(&text(found, 1)?).ok()?))
        };
        Ok(rows.iter().filter_map(name).collect())
    }

    /// Has a query answered by a reading connection, and its time taken.
    pub(crate) async fn rows(
        &self,
        name: &'static str,
        query: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<Vec<SqliteRow>, Error> {
        let began = Instant::now();
        let rows = query.fetch_all(&self.inner.readers).await.map_err(|e| self.failed(&e))?;
        self.inner.meters.queried(name, began);
        Ok(rows)
    }

    async fn number(
        &self,
        name: &'static str,
        query: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<i64, Error> {
        Ok(self.rows(name, query).await?.first().map_or(0, |found| found.get(0)))
    }

    pub(crate) fn failed(&self, e: &sqlx::Error) -> Error {
        match e {
            sqlx::Error::PoolClosed => Error::Closed,
            _ => error::of_sqlite(self.path(), e),
        }
    }
}

/// Rows that say first of which call they are, by the seq of one of its events.
pub(crate) fn grouped(rows: &[SqliteRow]) -> Result<BTreeMap<i64, Vec<Event>>, Damaged> {
    let mut calls: BTreeMap<i64, Vec<Event>> = BTreeMap::new();
    for found in rows {
        calls.entry(found.get(0)).or_default().push(row::event(found, 1)?);
    }
    Ok(calls)
}

/// The calls that can be read: one that cannot, written by hand, must not hide all the others.
pub(crate) fn readable(calls: impl Iterator<Item = Vec<Event>>) -> impl Iterator<Item = Call> {
    let unreadable = |damaged: &Damaged| tracing::error!(%damaged, "a call cannot be shown");
    calls.filter_map(move |call| call_of(call).inspect_err(unreadable).ok()?)
}

/// The call that those events make.
fn call_of(mut events: Vec<Event>) -> Result<Option<Call>, Damaged> {
    events.sort_by_key(|event| event.seq);
    events.iter().try_fold(None, |call, event| {
        let body = Body::read(event.seq, event.kind, &event.data)?;
        Call::evolve(call, event, body)
    })
}

pub(crate) fn read(rows: &[SqliteRow]) -> Result<Vec<Event>, Damaged> {
    rows.iter().map(|found| row::event(found, 0)).collect()
}
