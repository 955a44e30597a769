//! Searching: the log and its calls by a filter, threads, and what became of all calls. None of it reads
//! more than a span of the log at once, however long that is and however little meets the filter.

use crate::{
    Error, Filter, Store, queries,
    read::{Page, grouped, read, readable},
};
use countersign_approvals::{
    Call, Event, State, ThreadId, Timestamp,
    event::{Decision, Mode, Source, Status},
};
use sqlx::{Row, sqlite::SqliteRow};

/// How many events are searched for one page.
const SPAN: i64 = 20_000;

/// How many pages of calls are looked through for those in one state.
const ROUNDS: usize = 16;

/// How many events are tallied by one query.
const TALLIED: i64 = 50_000;

/// A thread, seen from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// Its name.
    pub thread_id: ThreadId,
    /// The `seq` of its last event.
    pub last_seq: i64,
    /// When the first thing happened in it.
    pub first_event_at: Timestamp,
    /// When the last did.
    pub last_event_at: Timestamp,
    /// How many calls it has.
    pub calls: i64,
    /// How many of them wait for people.
    pub pending: i64,
    /// How it answers what is asked.
    pub mode: Mode,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fate {
    /// Its tool.
    pub tool: String,
    /// When people were asked, if they were.
    pub requested_at: Option<Timestamp>,
    /// What was decided, by what, and when, if it was.
    pub decided: Option<(Decision, Source, Timestamp)>,
    /// Whether anybody started it.
    pub started: bool,
    /// How it ended, if it did.
    pub status: Option<Status>,
}

impl Store {
    /// The events of `filter` after `after`, `limit` at most.
    pub async fn events(&self, filter: &Filter, after: i64, limit: usize) -> Result<Page<Event>, Error> {
        // One more than asked for tells whether there is a next page.
        let most = i64::try_from(limit).unwrap_or(i64::MAX - 1).saturating_add(1);
        let end = after.saturating_add(SPAN);
        let plain = !filter.is_narrow();
        let (name, query) = match (&filter.thread_id, plain) {
            (None, true) => ("events", sqlx::query(queries::EVENTS).bind(after).bind(most)),
            (Some(thread_id), true) => (
                "events_of_thread",
                sqlx::query(queries::EVENTS_OF_THREAD).bind(after).bind(most).bind(thread_id.as_str()),
            ),
            (None, false) => ("search", sqlx::query(queries::SEARCH).bind(after).bind(end).bind(most)),
            (Some(thread_id), false) => (
                "search_of_thread",
                sqlx::query(queries::SEARCH_OF_THREAD).bind(after).bind(thread_id.as_str()).bind(most),
            ),
        };
        let query = if plain {
            query
        } else {
            query
                .bind(types(filter))
                .bind(filter.tool.as_ref().map(|tool| tool.as_str().to_owned()))
                .bind(filter.principal.as_ref().map(ToString::to_string))
                .bind(filter.since.map(|moment| moment.to_string()))
                .bind(filter.until.map(|moment| moment.to_string()))
        };
        let mut items = read(&self.rows(name, query).await?)?;
        let next = if items.len() > limit {
            items.truncate(limit);
            items.last().map(|event| event.seq)
        } else if !plain && filter.thread_id.is_none() {
            (end < self.tip().await?).then_some(end)
        } else {
            None
        };
        Ok(Page { items, next })
    }

    /// The calls of `filter` that were proposed before the event at `before` (0 for the end of the log), the
    /// last first: those in `state` at `now`, if one is named, `limit` at most.
    pub async fn calls(
        &self,
        filter: &Filter,
        state: Option<State>,
        now: Timestamp,
        before: i64,
        limit: usize,
    ) -> Result<Page<Call>, Error> {
        let mut before = if before == 0 { self.tip().await?.saturating_add(1) } else { before };
        let mut items = Vec::new();
        for _ in 0..ROUNDS {
            let (found, next) = self.proposed_before(filter, before, limit).await?;
            items.extend(found.into_iter().filter(|call| state.is_none_or(|state| call.state(now) == state)));
            if items.len() > limit {
                items.truncate(limit);
                let next = items.last().map(|call| call.proposal.seq);
                return Ok(Page { items, next });
            }
            match next {
                None => return Ok(Page { items, next }),
                Some(next) if items.len() == limit => return Ok(Page { items, next: Some(next) }),
                Some(next) => before = next,
            }
        }
        Ok(Page { items, next: Some(before) })
    }

    /// Calls of a filter, the last first, and before which to go on.
    async fn proposed_before(
        &self,
        filter: &Filter,
        before: i64,
        limit: usize,
    ) -> Result<(Vec<Call>, Option<i64>), Error> {
        // One more than asked for tells whether there is a next page.
        let most = i64::try_from(limit).unwrap_or(i64::MAX - 1).saturating_add(1);
        let floor = before.saturating_sub(SPAN).max(1);
        let query = match &filter.thread_id {
            None => sqlx::query(queries::CALLS).bind(before).bind(floor).bind(most),
            Some(thread_id) => {
                sqlx::query(queries::CALLS_OF_THREAD).bind(before).bind(thread_id.as_str()).bind(most)
            }
        };
        let query = query
            .bind(filter.tool.as_ref().map(|tool| tool.as_str().to_owned()))
            .bind(filter.principal.as_ref().map(ToString::to_string))
            .bind(filter.since.map(|moment| moment.to_string()))
            .bind(filter.until.map(|moment| moment.to_string()));
        let calls = grouped(&self.rows("calls", query).await?)?;
        let next = if calls.len() > limit {
            calls.keys().next().copied()
        } else {
            Some(floor).filter(|floor| filter.thread_id.is_none() && *floor > 1)
        };
        Ok((readable(calls.into_values().rev()).collect(), next))
    }

    /// The threads whose last event stands before `before` (0 for the end of the log), the one that something
    /// happened in last first, `limit` at most.
    pub async fn threads(&self, before: i64, limit: usize) -> Result<Page<Outline>, Error> {
        let before = if before == 0 { self.tip().await?.saturating_add(1) } else { before };
        let floor = before.saturating_sub(SPAN).max(1);
        let mut items = self.outlines(before, floor, limit.saturating_add(1)).await?;
        let next = if items.len() > limit {
            items.truncate(limit);
            items.last().map(|thread| thread.last_seq)
        } else {
            Some(floor).filter(|floor| *floor > 1)
        };
        Ok(Page { items, next })
    }

    /// One thread, if anything ever happened in it.
    pub async fn outline(&self, thread_id: &ThreadId) -> Result<Option<Outline>, Error> {
        let last = self.thread_tip(thread_id).await?;
        if last == 0 {
            return Ok(None);
        }
        Ok(self.outlines(last + 1, last, 1).await?.pop())
    }

    async fn outlines(&self, before: i64, floor: i64, limit: usize) -> Result<Vec<Outline>, Error> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = sqlx::query(queries::THREADS).bind(before).bind(floor).bind(most);
        let rows = self.rows("threads", query).await?;
        // A row by hand may name a thread by what is no name.
        Ok(rows.iter().filter_map(outline).collect())
    }

    /// Goes through what became of every call that was proposed from `since` on and before `until`, and tells
    /// `progress` up to which event it has come, of how many.
    pub async fn tally(
        &self,
        since: Option<Timestamp>,
        until: Option<Timestamp>,
        mut each: impl FnMut(Fate),
        mut progress: impl FnMut(i64, i64),
    ) -> Result<(), Error> {
        let (tip, mut after) = (self.tip().await?, 0);
        while after < tip {
            let end = after.saturating_add(TALLIED).min(tip);
            let query = sqlx::query(queries::TALLY)
                .bind(after)
                .bind(end)
                .bind(since.map(|moment| moment.to_string()))
                .bind(until.map(|moment| moment.to_string()));
            self.rows("tally", query).await?.iter().filter_map(fate).for_each(&mut each);
            progress(end, tip);
            after = end;
        }
        Ok(())
    }
}

fn types(filter: &Filter) -> Option<String> {
    let list = || serde_json::to_string(&filter.types).unwrap_or_default();
    (!filter.types.is_empty()).then(list)
}

fn outline(found: &SqliteRow) -> Option<Outline> {
    let text = |index: usize| found.try_get::<Option<String>, _>(index).ok().flatten();
    let moment = |index: usize| text(index)?.parse::<Timestamp>().ok();
    Some(Outline {
        thread_id: ThreadId::new(&text(1)?).ok()?,
        last_seq: found.get(0),
        last_event_at: moment(2)?,
        first_event_at: moment(3)?,
        calls: found.get(4),
        pending: found.get(5),
        mode: text(6).and_then(|mode| mode.parse().ok()).unwrap_or(Mode::Interactive),
        closed_at: moment(7),
    })
}

fn fate(found: &SqliteRow) -> Option<Fate> {
    let text = |name: &str| found.try_get::<Option<String>, _>(name).ok().flatten();
    let moment = |name: &str| text(name)?.parse::<Timestamp>().ok();
    let decided = || {
        let decision = text("decision")?.parse().unwrap_or(Decision::Other);
        Some((decision, text("source")?.parse().unwrap_or(Source::Other), moment("decided_at")?))
    };
    Some(Fate {
        tool: text("tool")?,
        requested_at: moment("requested_at"),
        decided: decided(),
        started: found.get("started"),
        status: text("status").map(|status| status.parse().unwrap_or(Status::Other)),
    })
}
