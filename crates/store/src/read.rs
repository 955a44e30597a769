//! Queries for one call, the pending calls, a thread and the log's end.

use crate::{
    EventFilter, ResultPage, Store, StoreError, UnavailableDatabase,
    database::{QueryError, SqlQuery, SqlRow},
    page::{readable_calls, replay_call},
    queries, row, writer,
};
use countersign_approvals::{BatchState, Call, ReadSet, Thread, call::RecordedFact};
use countersign_events::{CallId, DamagedEvent, Event, PolicySet, SecretValue, Sha256, ThreadId, Timestamp};
use std::{
    collections::{BTreeSet, HashMap},
    time::Instant,
};

/// A call, and the facts outside its events that an approver needs.
#[derive(Debug, Clone)]
pub struct CallInContext {
    /// The call.
    pub call: Call,
    /// When any process last saw its proposer wait, if one did.
    pub proposer_seen_at: Option<Timestamp>,
    /// The `seq` of its thread's last call.
    pub last_call: i64,
}

/// The most batches of open requests that one filtered page searches.
const ROUNDS: usize = 16;

/// The call-context columns, after the event columns.
const SEEN_AT: usize = 7;
const LAST_CALL: usize = 8;

/// The number of open requests in one batch of a filtered page.
const BATCH: usize = 500;

impl Store {
    /// Reads the secret by which processes recognise sign-in challenges, in hexadecimal.
    pub async fn sign_in_secret(&self) -> Result<SecretValue<String>, StoreError> {
        let rows = self.query_rows("sign_in_secret", SqlQuery::by_key(queries::SIGN_IN_SECRET)).await?;
        let missing = || DamagedEvent { seq: 0, what: "the table sign_in_secret has no row".to_owned() };
        Ok(rows.first().and_then(|row| row.text(0)).map(SecretValue::new).ok_or_else(missing)?)
    }

    /// Reads the call with this id; `None` if the thread has no such call.
    pub async fn call(&self, thread_id: &ThreadId, id: &CallId) -> Result<Option<Call>, StoreError> {
        let query = SqlQuery::by_key(queries::CALL).bind(thread_id.as_str()).bind(id.as_str());
        Ok(replay_call(read_events(&self.query_rows("call", query).await?)?)?)
    }

    /// Reads the call with this id and its context, with one query; `None` if the thread has no such call.
    pub async fn call_in_context(
        &self,
        thread_id: &ThreadId,
        id: &CallId,
    ) -> Result<Option<CallInContext>, StoreError> {
        let query = SqlQuery::by_key(queries::CALL_IN_CONTEXT).bind(thread_id.as_str()).bind(id.as_str());
        let rows = self.query_rows("call_in_context", query).await?;
        let Some(call) = replay_call(read_events(&rows)?)? else { return Ok(None) };
        let context = |column: usize| rows.first().and_then(|found| found.text(column));
        Ok(Some(CallInContext {
            call,
            proposer_seen_at: context(SEEN_AT).and_then(|moment| moment.parse().ok()),
            last_call: rows.first().and_then(|found| found.number(LAST_CALL)).unwrap_or(0),
        }))
    }

    /// Reads the last call's `seq` for each thread. Threads without calls are left out.
    pub async fn last_calls(
        &self,
        threads: &BTreeSet<&ThreadId>,
    ) -> Result<HashMap<ThreadId, i64>, StoreError> {
        if threads.is_empty() {
            return Ok(HashMap::new());
        }
        let wanted = serde_json::to_string(threads).unwrap_or_default();
        let query = SqlQuery::new(queries::LAST_CALLS.on(self.inner.readers.kind())).bind(wanted);
        let rows = self.query_rows("last_calls", query).await?;
        let read = |row: &SqlRow| Some((ThreadId::new(&row.text(0)?).ok()?, row.number(1)?));
        Ok(rows.iter().filter_map(read).collect())
    }

    /// Reads the responses among the events with these `seq`s.
    pub async fn responses(&self, seqs: &BTreeSet<i64>) -> Result<Vec<Event>, StoreError> {
        let wanted = serde_json::to_string(seqs).unwrap_or_default();
        let query = SqlQuery::new(queries::RESPONSES.on(self.inner.readers.kind())).bind(wanted);
        Ok(read_events(&self.query_rows("responses", query).await?)?)
    }

    /// Reads a call's tool; `None` if the thread has no such call.
    pub(crate) async fn tool_of_call(
        &self,
        thread_id: &ThreadId,
        id: &CallId,
    ) -> Result<Option<String>, StoreError> {
        let query = SqlQuery::by_key(queries::TOOL_OF_CALL).bind(thread_id.as_str()).bind(id.as_str());
        let rows = self.query_rows("tool_of_call", query).await?;
        Ok(rows.first().and_then(|found| found.text(0)))
    }

    /// Lists the pending calls that match `filter` and whose request has a `seq` above `after` (0 for the first page),
    /// the oldest request first, `limit` at most.
    pub async fn pending(
        &self,
        filter: &EventFilter,
        after: i64,
        limit: usize,
    ) -> Result<ResultPage<Call>, StoreError> {
        let thread_id = filter.thread_id.as_ref();
        if !filter.is_narrower_than_thread() {
            return Ok(self.open_requests(thread_id, after, limit).await?.0);
        }
        // Few of many requests may match the filter, so read them in large batches.
        let (mut items, mut next) = (Vec::new(), Some(after));
        for _ in 0..ROUNDS {
            let Some(from) = next.filter(|_| items.len() <= limit) else { break };
            let (page, cut) = self.open_requests(thread_id, from, limit.max(BATCH)).await?;
            items.extend(page.items.into_iter().filter(|call| filter.admits_pending(call)));
            next = page.next;
            if cut {
                break;
            }
        }
        if items.len() > limit {
            items.truncate(limit);
            next = items.last().and_then(Call::request).map(|request| request.seq);
        }
        Ok(ResultPage { items, next })
    }

    /// A page of open requests, and true if the byte limit cut it.
    async fn open_requests(
        &self,
        thread_id: Option<&ThreadId>,
        after: i64,
        limit: usize,
    ) -> Result<(ResultPage<Call>, bool), StoreError> {
        // One more row than the page needs shows if there is a next page.
        let most = i64::try_from(limit).unwrap_or(i64::MAX - 1) + 1;
        let kind = self.inner.readers.kind();
        let (name, query) = match thread_id {
            None => ("pending", SqlQuery::new(queries::PENDING.on(kind)).bind(after).bind(most)),
            Some(thread_id) => (
                "pending_of_thread",
                SqlQuery::new(queries::PENDING_OF_THREAD.on(kind))
                    .bind(after)
                    .bind(most)
                    .bind(thread_id.as_str()),
            ),
        };
        let mut calls = self.query_calls(name, query).await?;
        let more = calls.cut || calls.items.len() > limit;
        calls.items.truncate(limit);
        let next = calls.items.last().map(|(seq, _)| *seq).filter(|_| more);
        let items = readable_calls(calls.items.into_iter().map(|(_, events)| events)).collect();
        Ok((ResultPage { items, next }, calls.cut))
    }

    /// Reads a thread's state: its grants, its settings, and its closing. A thread without events has the default
    /// state.
    pub async fn thread(&self, thread_id: &ThreadId) -> Result<Thread, StoreError> {
        self.read_thread(thread_id, "9999").await
    }

    /// Reads a thread's state, with people's decisions on single calls after `since`.
    pub async fn thread_with_decisions(
        &self,
        thread_id: &ThreadId,
        since: Timestamp,
    ) -> Result<Thread, StoreError> {
        self.read_thread(thread_id, &since.to_string()).await
    }

    /// `since` is a time as the log has it, or a later text.
    async fn read_thread(&self, thread_id: &ThreadId, since: &str) -> Result<Thread, StoreError> {
        let kind = self.inner.readers.kind();
        let query = SqlQuery::new(queries::THREAD.on(kind)).bind(thread_id.as_str()).bind(since);
        let rows = self.query_rows("thread", query).await?;
        let mut state = BatchState::new(0, Sha256::ZERO);
        let mut events = read_events(&rows)?;
        events.sort_by_key(|event| event.seq);
        state.load(&ReadSet::default(), &events)?;
        Ok(state.thread(thread_id).cloned().unwrap_or_default())
    }

    /// Reads the active policy; `None` if the log has no policy yet.
    pub async fn policy_in_force(&self) -> Result<Option<RecordedFact<PolicySet>>, StoreError> {
        let rows = self.query_rows("policy_in_force", SqlQuery::by_key(queries::POLICY_IN_FORCE)).await?;
        let Some(event) = read_events(&rows)?.pop() else { return Ok(None) };
        let damaged = |e: serde_json::Error| DamagedEvent { seq: event.seq, what: e.to_string() };
        let set = event.data.read().map_err(damaged)?;
        Ok(Some(RecordedFact::from_event(&event, set)))
    }

    /// Reads the events about tokens after the event `after` (0 for all), the oldest first, `limit` at most.
    pub async fn token_events(&self, after: i64, limit: usize) -> Result<Vec<Event>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = SqlQuery::new(queries::TOKENS).bind(after).bind(limit);
        Ok(read_events(&self.query_rows("tokens", query).await?)?)
    }

    /// Reads the events about webhooks after the event `after` (0 for all), the oldest first, `limit` at most.
    pub async fn webhook_events(&self, after: i64, limit: usize) -> Result<Vec<Event>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = SqlQuery::new(queries::WEBHOOKS).bind(after).bind(limit);
        Ok(read_events(&self.query_rows("webhooks", query).await?)?)
    }

    /// Reads the events about tool definitions after the event `after` (0 for all), the oldest first, `limit` at most.
    pub async fn definition_events(&self, after: i64, limit: usize) -> Result<Vec<Event>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = SqlQuery::new(queries::DEFINITIONS).bind(after).bind(limit);
        Ok(read_events(&self.query_rows("definitions", query).await?)?)
    }

    /// Counts the calls that ran other arguments than were approved, or without an approval.
    pub async fn mismatch_count(&self) -> Result<i64, StoreError> {
        self.query_number("mismatch_count", SqlQuery::new(queries::MISMATCH_COUNT)).await
    }

    /// Reads the log's last `seq`; 0 if the log is empty.
    pub async fn tip(&self) -> Result<i64, StoreError> {
        self.query_number("tip", SqlQuery::by_key(queries::TIP)).await
    }

    /// Returns the `seq` of the last event about the whole log, such as a new token, that this process has seen since it opened the
    /// log; 0 before the first.
    #[must_use]
    pub fn last_event_of_log(&self) -> i64 {
        self.inner.feed.last_event_of_log()
    }

    /// Checks that the log has the event `seq` that a reader wants to continue after, and that `is_same` accepts its
    /// hash. It asks the table, not the feed: another instance may have delivered an event that this feed has not.
    pub async fn check_cursor(
        &self,
        seq: i64,
        is_same: impl FnOnce(Option<Sha256>) -> bool,
    ) -> Result<(), StoreError> {
        if seq <= 0 {
            return Ok(());
        }
        let tip = self.tip().await?;
        if seq > tip {
            return Err(StoreError::CursorBeyondEnd { seq, tip });
        }
        let query = SqlQuery::by_key(queries::HASH_AT).bind(seq);
        let rows = self.query_rows("hash_at", query).await?;
        let hash = rows.first().and_then(|found| found.text(0)).and_then(|hex| Sha256::from_hex(&hex));
        if is_same(hash) { Ok(()) } else { Err(StoreError::CursorOfAnotherLog { seq, tip }) }
    }

    /// Reads a thread's last `seq`; 0 if the thread has no events.
    pub async fn thread_tip(&self, thread_id: &ThreadId) -> Result<i64, StoreError> {
        self.query_number("thread_tip", SqlQuery::by_key(queries::THREAD_TIP).bind(thread_id.as_str())).await
    }

    /// Writes a row outside the log and reads it back, to check that the database can be written and read.
    pub async fn probe(&self) -> Result<(), StoreError> {
        let now = self.clock().now();
        writer::send(&self.inner.queue, |answer| writer::WriterRequest::Probe(now, answer)).await?;
        let rows = self.query_rows("probed", SqlQuery::by_key(queries::PROBED)).await?;
        let found = rows.first().and_then(|found| found.text(0));
        if found.is_some_and(|found| found >= now.to_string()) {
            return Ok(());
        }
        let why = "a row that was just written cannot be read back".to_owned();
        Err(UnavailableDatabase::IoError { place: self.database_name(), why }.into())
    }

    /// Counts the open requests, and reads the oldest's time.
    pub async fn open_now(&self) -> Result<(i64, Option<Timestamp>), StoreError> {
        let rows = self.query_rows("open_now", SqlQuery::new(queries::OPEN_NOW)).await?;
        let Some(found) = rows.first() else { return Ok((0, None)) };
        let oldest = found.text(1);
        Ok((found.number(0).unwrap_or(0), oldest.and_then(|moment| moment.parse().ok())))
    }

    /// Reads when the next reminder, escalation or expiry of an open request is due.
    pub async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.query_rows("next_due", SqlQuery::new(queries::NEXT_DUE)).await?;
        let found = rows.first().and_then(|found| found.text(0));
        Ok(found.and_then(|moment| moment.parse().ok()))
    }

    /// Lists the calls whose open request is due at `now` to expire, to remind approvers, or to escalate, the longest
    /// overdue first, `limit` at most.
    pub async fn due(&self, now: Timestamp, limit: i64) -> Result<Vec<(ThreadId, CallId)>, StoreError> {
        let rows =
            self.query_rows("due", SqlQuery::new(queries::DUE).bind(now.to_string()).bind(limit)).await?;
        // A row that was inserted with SQL may have an invalid id.
        let name =
            |found: &SqlRow| Some((ThreadId::new(&found.text(0)?).ok()?, CallId::new(&found.text(1)?).ok()?));
        Ok(rows.iter().filter_map(name).collect())
    }

    /// Reads when the time of a grant or of a remembered denial passes next, after `now`.
    pub async fn next_grant_end(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let query = SqlQuery::new(queries::NEXT_GRANT_END).bind(now.to_string());
        let rows = self.query_rows("next_grant_end", query).await?;
        let found = rows.first().and_then(|found| found.text(0));
        Ok(found.and_then(|moment| moment.parse().ok()))
    }

    /// Lists the grants and remembered denials whose time has passed after `since` and until `now`, and whose end is not in the
    /// log, the longest overdue first, `limit` at most.
    pub async fn due_grants(
        &self,
        since: Timestamp,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<(ThreadId, i64)>, StoreError> {
        let query = SqlQuery::new(queries::DUE_GRANTS.on(self.inner.readers.kind()));
        let query = query.bind(now.to_string()).bind(since.to_string()).bind(limit);
        let rows = self.query_rows("due_grants", query).await?;
        let name = |found: &SqlRow| Some((ThreadId::new(&found.text(0)?).ok()?, found.number(1)?));
        Ok(rows.iter().filter_map(name).collect())
    }

    /// Runs a query on a read connection and records its duration.
    pub(crate) async fn query_rows(
        &self,
        name: &'static str,
        query: SqlQuery,
    ) -> Result<Vec<SqlRow>, StoreError> {
        let began = Instant::now();
        // Boxed, because every future that reads would otherwise have room for a query as long as it lives.
        let found = Box::pin(self.inner.readers.query_all(query)).await;
        let rows = found.map_err(|e| self.database_error(&e))?;
        self.inner.metrics.record_query(name, began);
        Ok(rows)
    }

    async fn query_number(&self, name: &'static str, query: SqlQuery) -> Result<i64, StoreError> {
        Ok(self.query_optional_number(name, query).await?.unwrap_or(0))
    }

    /// The number in the first row of a query, if any.
    pub(crate) async fn query_optional_number(
        &self,
        name: &'static str,
        query: SqlQuery,
    ) -> Result<Option<i64>, StoreError> {
        Ok(self.query_rows(name, query).await?.first().and_then(|found| found.number(0)))
    }

    pub(crate) fn database_error(&self, e: &QueryError) -> StoreError {
        e.describe(self.database_name())
    }
}

pub(crate) fn read_events(rows: &[SqlRow]) -> Result<Vec<Event>, DamagedEvent> {
    rows.iter().map(|found| row::read_event(found, 0)).collect()
}
