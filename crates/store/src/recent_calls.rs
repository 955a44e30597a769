//! Call outcomes and running calls. Both read a limited span of the log, the newest events first.

use crate::{
    ResultPage, Store, StoreError,
    database::{SqlQuery, SqlRow},
    page::readable_calls,
    queries,
    read::read_events,
};
use countersign_approvals::Call;
use countersign_events::{
    Basis, CallState, CallStateFilter, Decision, RecordedEffect, Source, Status, Timestamp,
};
use std::time::Duration;

/// The most events that a search for running calls, or a page of outcomes, reads. Each costs more than in other searches.
const RECENT_EVENTS: i64 = 5_000;

/// The most by which the clocks of two writers of a log are expected to differ.
const MOST_CLOCK_DIFFERENCE: Duration = Duration::from_hours(24);

/// A call outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFate {
    /// Its tool.
    pub tool: String,
    /// The time of the approval request, if there was one.
    pub requested_at: Option<Timestamp>,
    /// The decision, its source and its time, if there is one.
    pub decided: Option<(Decision, Source, Timestamp)>,
    /// Whether an executor started it.
    pub started: bool,
    /// The status of its result, if it has one.
    pub status: Option<Status>,
    /// The time of its proposal.
    pub proposed_at: Timestamp,
    /// The rule that judged it, if one did.
    pub rule: Option<String>,
    /// The policy part that judged it, if it was recorded.
    pub basis: Option<Basis>,
    /// What it does to things, as it was recorded. Empty if the query does not ask for it.
    pub effects: Vec<RecordedEffect>,
}

/// The calls whose outcomes are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallSpan {
    /// Only calls that were proposed from this time on.
    pub since: Option<Timestamp>,
    /// Only calls that were proposed before this time.
    pub until: Option<Timestamp>,
    /// The event before which the log span ends; 0 means the log tip.
    pub before: i64,
    /// Whether call effects are read, too.
    pub with_effects: bool,
}

impl Store {
    /// Lists the calls that run at `now`, of those that were started within the last 5,000 events: the last
    /// started first, `limit` at most.
    pub async fn running(&self, now: Timestamp, limit: usize) -> Result<Vec<Call>, StoreError> {
        let start = self.tip().await?.saturating_sub(RECENT_EVENTS);
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = SqlQuery::new(queries::RUNNING.on(self.inner.readers.kind())).bind(start).bind(most);
        let found = self.query_calls("running", query).await?;
        let running = CallStateFilter::State(CallState::Running);
        let calls = readable_calls(found.items.into_iter().map(|(_, events)| events));
        Ok(calls.filter(|call| call.matches(running, now)).collect())
    }

    /// Reads a page of call outcomes: those of a limited log span.
    pub async fn call_fates(&self, span: CallSpan) -> Result<ResultPage<CallFate>, StoreError> {
        let CallSpan { since, until, before, with_effects } = span;
        let before = self.clamp_before(before).await?;
        let floor = before.saturating_sub(RECENT_EVENTS).max(1);
        let query = SqlQuery::new(queries::TALLY.on(self.inner.readers.kind()))
            .bind(floor - 1)
            .bind(before - 1)
            .bind(since.map(|moment| moment.to_string()))
            .bind(until.map(|moment| moment.to_string()))
            .bind(with_effects);
        let items = self.query_rows("tally", query).await?.iter().filter_map(parse_fate).collect();
        let is_last = match since {
            Some(since) if floor > 1 => self.is_long_before(floor, since).await?,
            _ => floor <= 1,
        };
        Ok(ResultPage { items, next: (!is_last).then_some(floor) })
    }

    /// Returns true if the event at `seq` was written so long before `since` that no earlier one has a later time. Writer clocks
    /// differ, so the times may not increase with `seq`.
    async fn is_long_before(&self, seq: i64, since: Timestamp) -> Result<bool, StoreError> {
        let query = SqlQuery::by_key(queries::EVENTS).bind(seq - 1).bind(1);
        let page = read_events(&self.query_rows("events", query).await?)?;
        Ok(page.first().is_some_and(|event| since.since(event.timestamp) > MOST_CLOCK_DIFFERENCE))
    }
}

/// Parses a `tally.sql` row, column by column.
fn parse_fate(found: &SqlRow) -> Option<CallFate> {
    let moment = |column: usize| found.text(column)?.parse::<Timestamp>().ok();
    let decided = || {
        let decision = found.text(2)?.parse().unwrap_or(Decision::Other);
        Some((decision, found.text(3)?.parse().unwrap_or(Source::Other), moment(4)?))
    };
    Some(CallFate {
        tool: found.text(0)?,
        requested_at: moment(1),
        decided: decided(),
        started: found.boolean(5),
        status: found.text(6).map(|status| status.parse().unwrap_or(Status::Other)),
        proposed_at: moment(7)?,
        rule: found.text(8),
        basis: found.text(9).and_then(|basis| basis.parse().ok()),
        // Effects that only a newer version can read are left out.
        effects: found.text(10).and_then(|effects| serde_json::from_str(&effects).ok()).unwrap_or_default(),
    })
}
