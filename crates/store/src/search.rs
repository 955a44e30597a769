//! Event and call searches by a filter, and thread lists. Each query reads a span of limited length, even if the log is
//! long and few rows match.

use crate::{
    EventFilter, ResultPage, Store, StoreError,
    database::{SqlQuery, SqlRow},
    page::readable_calls,
    page_limit::{DATA, MOST_BYTES, PageLimit},
    queries,
    read::read_events,
};
use countersign_approvals::Call;
use countersign_events::{CallStateFilter, Event, Mode, ThreadId, Timestamp};

/// The most events that one page searches.
const SPAN: i64 = 20_000;

/// The most batches of calls that one page searches for calls in one state.
const ROUNDS: usize = 16;

/// The number of calls in one batch of a search for calls in one state.
const BATCH: usize = 500;

/// A thread summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadOutline {
    /// Its id.
    pub thread_id: ThreadId,
    /// The `seq` of its last event.
    pub last_seq: i64,
    /// The time of its first event.
    pub first_event_at: Timestamp,
    /// The time of its last event.
    pub last_event_at: Timestamp,
    /// The number of its calls.
    pub calls: i64,
    /// The number of its pending calls.
    pub pending: i64,
    /// Its mode.
    pub mode: Mode,
    /// The time at which it was closed, if it was.
    pub closed_at: Option<Timestamp>,
}

impl Store {
    /// Lists the events that match `filter` and have a `seq` above `after`, in `seq` order, `limit` at most.
    pub async fn events(
        &self,
        filter: &EventFilter,
        after: i64,
        limit: usize,
    ) -> Result<ResultPage<Event>, StoreError> {
        self.events_within(filter, after, PageLimit { items: limit, bytes: MOST_BYTES }).await
    }

    /// Like [`events`](Self::events), for a page of fewer bytes.
    pub(crate) async fn events_within(
        &self,
        filter: &EventFilter,
        after: i64,
        limit: PageLimit,
    ) -> Result<ResultPage<Event>, StoreError> {
        if filter.is_narrower_than_thread() {
            return self.search(filter, after, limit).await;
        }
        let PageLimit { items: limit, bytes } = limit;
        let most = limit_plus_one(limit);
        let (name, query) = match &filter.thread_id {
            None => ("events", SqlQuery::new(queries::EVENTS).bind(after).bind(most)),
            Some(thread_id) => (
                "events_of_thread",
                SqlQuery::new(queries::EVENTS_OF_THREAD).bind(after).bind(most).bind(thread_id.as_str()),
            ),
        };
        let found = self.query_bounded_rows(name, query, DATA, bytes).await?;
        let mut items = read_events(&found.rows)?;
        let more = found.cut || items.len() > limit;
        items.truncate(limit);
        let next = items.last().map(|event| event.seq).filter(|_| more);
        items.retain(|event| filter.threads.admits(&event.thread_id));
        Ok(ResultPage { items, next })
    }

    /// Lists events by a filter with conditions other than the thread. It searches one span of the log or of the
    /// thread.
    async fn search(
        &self,
        filter: &EventFilter,
        after: i64,
        PageLimit { items: limit, bytes }: PageLimit,
    ) -> Result<ResultPage<Event>, StoreError> {
        // `None`: nothing is left to search after this page.
        let end = match &filter.thread_id {
            None => {
                let (end, tip) = (after.saturating_add(SPAN), self.tip().await?);
                (end < tip).then_some(end)
            }
            // One query, because an event that is written between two would give an empty page that ends where it
            // starts.
            Some(thread_id) => {
                let span =
                    SqlQuery::new(queries::SPAN_OF_THREAD).bind(thread_id.as_str()).bind(after).bind(SPAN);
                self.query_optional_number("span_of_thread", span).await?
            }
        };
        let (name, text) = match filter.thread_id {
            None => ("search", queries::SEARCH),
            Some(_) => ("search_of_thread", queries::SEARCH_OF_THREAD),
        };
        let types = || serde_json::to_string(&filter.types).unwrap_or_default();
        let query = SqlQuery::new(text)
            .bind(after)
            .bind(end.unwrap_or(i64::MAX))
            .bind(limit_plus_one(limit))
            .bind((!filter.types.is_empty()).then(types))
            .bind(filter.tool.as_ref().map(|tool| tool.as_str().to_owned()))
            .bind(filter.principal.as_ref().map(ToString::to_string))
            .bind(filter.since.map(|moment| moment.to_string()))
            .bind(filter.until.map(|moment| moment.to_string()));
        let query = filter.thread_id.iter().fold(query, |query, thread_id| query.bind(thread_id.as_str()));
        let found = self.query_bounded_rows(name, query, DATA, bytes).await?;
        let mut items = read_events(&found.rows)?;
        let mut next = end;
        if found.cut || items.len() > limit {
            items.truncate(limit);
            next = items.last().map(|event| event.seq);
        }
        items.retain(|event| filter.threads.admits(&event.thread_id));
        Ok(ResultPage { items, next })
    }

    /// Lists the calls that match `filter`, that were proposed before the event at `before` (0 for the log's end), and
    /// that `state` selects at `now` (`None` for all states), the newest first, `limit` at most.
    pub async fn calls(
        &self,
        filter: &EventFilter,
        state: Option<CallStateFilter>,
        now: Timestamp,
        before: i64,
        limit: usize,
    ) -> Result<ResultPage<Call>, StoreError> {
        let mut before = self.clamp_before(before).await?;
        // Few of many calls may be in the state, so read them in large batches.
        let batch = if state.is_some() { limit.max(BATCH) } else { limit };
        let mut items = Vec::new();
        for _ in 0..ROUNDS {
            let (found, next, cut) = self.proposed_before(filter, before, batch).await?;
            let is_listed = |call: &Call| {
                filter.threads.admits(&call.thread_id) && state.is_none_or(|state| call.matches(state, now))
            };
            items.extend(found.into_iter().filter(is_listed));
            if items.len() > limit {
                items.truncate(limit);
                let next = items.last().map(|call| call.proposal.seq);
                return Ok(ResultPage { items, next });
            }
            match next {
                None => return Ok(ResultPage { items, next }),
                Some(next) if cut || items.len() == limit => {
                    return Ok(ResultPage { items, next: Some(next) });
                }
                Some(next) => before = next,
            }
        }
        Ok(ResultPage { items, next: Some(before) })
    }

    /// Reads calls that match a filter, the newest first. Returns them with the `seq` before which the next read
    /// continues (`None` at the log's start), and true if the byte limit cut the list.
    async fn proposed_before(
        &self,
        filter: &EventFilter,
        before: i64,
        limit: usize,
    ) -> Result<(Vec<Call>, Option<i64>, bool), StoreError> {
        let floor = match &filter.thread_id {
            None => before.saturating_sub(SPAN).max(1),
            Some(thread_id) => self.thread_span_floor(thread_id, before).await?,
        };
        let (name, text) = match filter.thread_id {
            None => ("calls", queries::CALLS),
            Some(_) => ("calls_of_thread", queries::CALLS_OF_THREAD),
        };
        let query = SqlQuery::new(text.on(self.inner.readers.kind()))
            .bind(before)
            .bind(floor)
            .bind(limit_plus_one(limit))
            .bind(filter.tool.as_ref().map(|tool| tool.as_str().to_owned()))
            .bind(filter.principal.as_ref().map(ToString::to_string))
            .bind(filter.since.map(|moment| moment.to_string()))
            .bind(filter.until.map(|moment| moment.to_string()))
            .bind(filter.arguments_hash.map(|hash| hash.to_string()))
            .bind(filter.agent.clone())
            .bind(filter.project.clone())
            .bind(filter.touches.as_ref().map(countersign_events::EffectPattern::to_like));
        let query = filter.thread_id.iter().fold(query, |query, thread_id| query.bind(thread_id.as_str()));
        let calls = self.query_calls(name, query).await?;
        let next = if calls.cut || calls.items.len() > limit {
            calls.items.last().map(|(seq, _)| *seq)
        } else {
            Some(floor).filter(|floor| *floor > 1)
        };
        Ok((readable_calls(calls.items.into_iter().map(|(_, events)| events)).collect(), next, calls.cut))
    }

    /// Returns the lowest `seq` of the thread span that ends before the event at `before`; at least 1.
    pub(crate) async fn thread_span_floor(
        &self,
        thread_id: &ThreadId,
        before: i64,
    ) -> Result<i64, StoreError> {
        let span =
            SqlQuery::new(queries::SPAN_OF_THREAD_BACK).bind(thread_id.as_str()).bind(before).bind(SPAN);
        Ok(self.query_optional_number("span_of_thread_back", span).await?.unwrap_or(1).max(1))
    }

    /// Lists the threads whose last event has a `seq` below `before` (0 for the log's end), the most recent first,
    /// `limit` at most.
    pub async fn threads(&self, before: i64, limit: usize) -> Result<ResultPage<ThreadOutline>, StoreError> {
        let before = self.clamp_before(before).await?;
        let floor = before.saturating_sub(SPAN).max(1);
        let rows = self.query_outlines(before, floor, limit.saturating_add(1)).await?;
        let next = if rows.len() > limit {
            rows.get(limit.saturating_sub(1)).and_then(|found| found.number(0))
        } else {
            Some(floor).filter(|floor| *floor > 1)
        };
        // A row inserted with SQL may have an invalid thread id.
        Ok(ResultPage { items: rows.iter().take(limit).filter_map(parse_outline).collect(), next })
    }

    /// Returns where a list that reads the log backwards starts: at `before`, or at the log's end if `before` is 0 or
    /// beyond it.
    pub(crate) async fn clamp_before(&self, before: i64) -> Result<i64, StoreError> {
        // What this process has seen is in the log.
        if (1..=self.inner.feed.tip()).contains(&before) {
            return Ok(before);
        }
        let end = self.tip().await?.saturating_add(1);
        Ok(if before == 0 { end } else { before.min(end) })
    }

    /// Reads a thread's summary; `None` if it has no events.
    pub async fn outline(&self, thread_id: &ThreadId) -> Result<Option<ThreadOutline>, StoreError> {
        let last = self.thread_tip(thread_id).await?;
        if last == 0 {
            return Ok(None);
        }
        Ok(self.query_outlines(last + 1, last, 1).await?.first().and_then(parse_outline))
    }

    async fn query_outlines(&self, before: i64, floor: i64, limit: usize) -> Result<Vec<SqlRow>, StoreError> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        self.query_rows("threads", SqlQuery::new(queries::THREADS).bind(before).bind(floor).bind(most)).await
    }
}

/// The number of rows to read for a page. One more row than the page needs shows if there is a next page.
pub(crate) fn limit_plus_one(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX - 1).saturating_add(1)
}

fn parse_outline(found: &SqlRow) -> Option<ThreadOutline> {
    let text = |index: usize| found.text(index);
    let moment = |index: usize| text(index)?.parse::<Timestamp>().ok();
    Some(ThreadOutline {
        thread_id: ThreadId::new(&text(1)?).ok()?,
        last_seq: found.number(0)?,
        last_event_at: moment(2)?,
        first_event_at: moment(3)?,
        calls: found.number(4)?,
        pending: found.number(5)?,
        mode: text(6).and_then(|mode| mode.parse().ok()).unwrap_or(Mode::Interactive),
        closed_at: moment(7),
    })
}
