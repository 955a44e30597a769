//! Executes a batch: all queued commands, in one transaction.

use super::{
    decided_batch::{DecidedBatch, EnvelopeResult},
    erasure,
    load::StateLoad,
};
use crate::{
    StoreError, UnavailableDatabase,
    database::{BatchFailure, BegunTransaction, FirstReads, LogEnd, SqlQuery, SqlRow, WriteSession},
    feed::EventFeed,
    metrics::StoreMetrics,
    page_limit::PageLimit,
    queries, row,
    schema::{latest_migration, newer_error},
};
use countersign_approvals::{BatchState, CommandEnvelope};
use countersign_events::{DamagedEvent, Event, Sha256, Timestamp};
use std::{iter, sync::Arc, time::Instant};

/// The most bytes of loaded events in the state that is kept between batches. The parsed events take a few times as much memory.
const MAX_STATE_BYTES: usize = 16 * 1024 * 1024;

/// The write connection, with the log state and the feed.
pub(crate) struct BatchWriter<D> {
    pub(super) session: D,
    /// The state that recent batches loaded; `None` after a failure.
    pub(super) state: Option<BatchState>,
    pub(super) feed: Arc<EventFeed>,
    metrics: StoreMetrics,
}

impl<D: WriteSession> BatchWriter<D> {
    pub(crate) fn new(session: D, feed: Arc<EventFeed>, metrics: StoreMetrics) -> Self {
        Self { session, state: None, feed, metrics }
    }

    /// Executes the commands and returns their outcomes in the same order. `more` adds the commands that arrived
    /// while this waited for the write lock, so that they share the batch.
    pub(super) async fn execute_all(
        &mut self,
        commands: &mut Vec<CommandEnvelope>,
        mut more: impl FnMut(&mut Vec<CommandEnvelope>),
    ) -> Vec<EnvelopeResult> {
        self.follow_feed();
        let begun = self.begin(commands).await;
        // Also after a failure: commands that waited for the same lock share its outcome.
        more(commands);
        let mut outcomes = match begun {
            Ok(transaction) => self.execute_some(commands, Some(transaction)).await,
            Err(error) => return fail_all(commands, &error),
        };
        while outcomes.len() < commands.len() {
            outcomes.extend(self.execute_some(&commands[outcomes.len()..], None).await);
        }
        outcomes
    }

    /// Executes as many of the commands as fit into one batch, or fails all of them.
    async fn execute_some(
        &mut self,
        commands: &[CommandEnvelope],
        transaction: Option<OpenTransaction>,
    ) -> Vec<EnvelopeResult> {
        let mut outcome = self.execute_batch(commands, transaction).await;
        if matches!(outcome, Err(BatchFailure::Lost(_))) {
            outcome = self.execute_batch(commands, None).await;
        }
        match outcome {
            Ok(outcomes) => outcomes,
            Err(BatchFailure::Whole(error) | BatchFailure::Lost(error)) => fail_all(commands, &error),
            Err(BatchFailure::Some(error)) if commands.len() == 1 => vec![Err(error)],
            Err(BatchFailure::Some(_)) => self.execute_singly(commands).await,
        }
    }

    /// Executes each command in its own transaction, so that one bad command does not fail the others.
    async fn execute_singly(&mut self, commands: &[CommandEnvelope]) -> Vec<EnvelopeResult> {
        let mut outcomes = Vec::with_capacity(commands.len());
        for command in commands {
            outcomes.push(match self.execute_batch(std::slice::from_ref(command), None).await {
                Ok(mut outcome) => outcome.pop().unwrap_or(Err(StoreError::ShuttingDown)),
                Err(failed) => Err(failed.error()),
            });
        }
        outcomes
    }

    async fn execute_batch(
        &mut self,
        commands: &[CommandEnvelope],
        transaction: Option<OpenTransaction>,
    ) -> Result<Vec<EnvelopeResult>, BatchFailure> {
        let transaction = match transaction {
            Some(transaction) => transaction,
            None => self.begin(commands).await.map_err(BatchFailure::Whole)?,
        };
        let began = transaction.began;
        match self.write(transaction, commands).await {
            Ok((state, decided)) => Ok(self.keep(began, state, commands, decided)),
            Err(failed) => {
                self.session.roll_back().await;
                Err(failed)
            }
        }
    }

    /// Keeps the state after a batch, publishes its events, and returns the outcomes.
    fn keep(
        &mut self,
        began: Instant,
        mut state: BatchState,
        commands: &[CommandEnvelope],
        DecidedBatch { events, outcomes }: DecidedBatch,
    ) -> Vec<EnvelopeResult> {
        state.end_batch(commands, MAX_STATE_BYTES);
        self.state = Some(state);
        if !events.is_empty() {
            self.metrics.record_commit(outcomes.len(), began.elapsed());
            self.feed.publish(&events);
        }
        outcomes
    }

    /// Applies the events that the feed has in memory to the kept state.
    fn follow_feed(&mut self) {
        let everything = PageLimit { items: usize::MAX, bytes: usize::MAX };
        self.state = self.state.take().and_then(|state| {
            let events = self.feed.recent_after(state.tip(), everything)?;
            follow(state, &events)
        });
    }

    /// Waits for the write lock, starts a transaction, and reads what the commands need, if that takes no separate
    /// round trip.
    pub(super) async fn begin(
        &mut self,
        commands: &[CommandEnvelope],
    ) -> Result<OpenTransaction, StoreError> {
        let state = self.state.take();
        let load = if D::IS_BLOCKING { None } else { StateLoad::of(state.as_ref(), commands) };
        let after = state.as_ref().map(BatchState::tip);
        let reads = || FirstReads { after, load: load.as_ref().map(StateLoad::query::<D>) };
        let mut begun = self.begin_at_known_end(reads()).await?;
        while begun.end.tip < self.feed.tip() {
            // Others wrote while this transaction should have held the lock, so the server has ended it.
            self.session.roll_back().await;
            begun = self.begin_at_known_end(reads()).await?;
        }
        let end = begun.end;
        let kept = state.and_then(|state| self.follow_new_rows(state, end, &begun.new_rows));
        let loaded = load.filter(|load| load.fits(kept.as_ref())).zip(begun.loaded);
        Ok(OpenTransaction { began: Instant::now(), kept, loaded })
    }

    /// Starts a transaction, and checks that the log still has all events that the feed had before.
    async fn begin_at_known_end(&mut self, reads: FirstReads) -> Result<BegunTransaction, StoreError> {
        // Use only the tip before the transaction: a transaction that the server has ended reads an older end.
        let known = self.feed.tip();
        let begun = self.session.begin(self.feed.last_sealed(), reads).await?;
        let LogEnd { tip: found, oldest_layout, .. } = begun.end;
        if oldest_layout > latest_migration() {
            self.session.roll_back().await;
            return Err(newer_error(self.session.database_name(), oldest_layout));
        }
        // The feed delivers only committed events. If one of them is missing from the log, the database went back.
        if found < known || self.feed.has_diverged() {
            self.session.roll_back().await;
            return Err(
                UnavailableDatabase::Behind { place: self.session.database_name(), known, found }.into()
            );
        }
        Ok(begun)
    }

    /// Applies the new events of other processes to the state, and gives them to the feed. Returns `None` if they are not
    /// all there or do not continue the state, which is then loaded again.
    fn follow_new_rows(&self, state: BatchState, end: LogEnd, rows: &[SqlRow]) -> Option<BatchState> {
        let read = |row| row::read_event(row, 0).map(Arc::new);
        let events = rows.iter().map(read).collect::<Result<Vec<_>, _>>();
        let events = events.inspect_err(|error| tracing::debug!(%error, "the state is loaded again")).ok()?;
        let state = follow(state, &events)?;
        let is_at_end = state.tip() == end.tip && end.hash.is_none_or(|hash| hash == state.link());
        is_at_end.then(|| {
            self.feed.publish(&events);
            state
        })
    }

    /// Decides the commands, appends their events and commits.
    async fn write(
        &mut self,
        OpenTransaction { kept, loaded, .. }: OpenTransaction,
        commands: &[CommandEnvelope],
    ) -> Result<(BatchState, DecidedBatch), BatchFailure> {
        let kept = match loaded {
            Some((load, rows)) => Some(load.add(kept, &rows).map_err(fail_some)?),
            None => kept,
        };
        let mut state = self.load(kept, commands).await?;
        let decided = DecidedBatch::decide(&mut state, commands).map_err(fail_some)?;
        if decided.events.is_empty() {
            self.session.roll_back().await;
        } else {
            self.session.append(decided.rows()).await?;
            erasure::erase_texts(&mut self.session, &decided.events).await?;
            self.session.commit(decided.last_event()).await?;
        }
        Ok((state, decided))
    }

    /// Reads the events that the commands need and `kept` does not have.
    async fn load(
        &mut self,
        kept: Option<BatchState>,
        commands: &[CommandEnvelope],
    ) -> Result<BatchState, BatchFailure> {
        match (StateLoad::of(kept.as_ref(), commands), kept) {
            (None, Some(state)) => Ok(state),
            (None, None) => Ok(BatchState::new(0, Sha256::ZERO)),
            (Some(load), kept) => {
                let rows = self.session.query_all(load.query::<D>()).await?;
                load.add(kept, &rows).map_err(fail_some)
            }
        }
    }

    /// Writes a row outside the log, to check that the database accepts writes.
    pub(super) async fn probe(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.run_alone([SqlQuery::new(queries::PROBE).bind(now.to_string())]).await
    }

    /// Rebuilds the open-request index from the events.
    pub(super) async fn rebuild_index(&mut self) -> Result<(), StoreError> {
        self.run_alone([queries::CLEAR_OPEN_REQUESTS, queries::REBUILD_OPEN_REQUESTS].map(SqlQuery::new))
            .await
    }

    /// Records when proposers were last seen, which is not part of the log.
    pub(super) async fn record_presence(&mut self, rows: String, prune: bool) -> Result<(), StoreError> {
        let record = SqlQuery::new(D::RECORD_PRESENCE).bind(rows);
        self.run_alone(iter::once(record).chain(prune.then(|| SqlQuery::new(queries::PRUNE_PRESENCE)))).await
    }

    /// Runs statements that append nothing, in a separate transaction.
    pub(super) async fn run_alone(
        &mut self,
        queries: impl IntoIterator<Item = SqlQuery>,
    ) -> Result<(), StoreError> {
        let OpenTransaction { kept, .. } = self.begin(&[]).await?;
        self.run_and_commit(queries).await.map_err(BatchFailure::error)?;
        self.state = kept;
        Ok(())
    }

    /// Runs statements that append nothing in the open transaction, and commits it.
    pub(super) async fn run_and_commit(
        &mut self,
        queries: impl IntoIterator<Item = SqlQuery>,
    ) -> Result<(), BatchFailure> {
        let outcome = async {
            for query in queries {
                self.session.query_all(query).await?;
            }
            self.session.commit(None).await
        };
        let outcome = outcome.await;
        if outcome.is_err() {
            self.session.roll_back().await;
        }
        outcome
    }

    pub(super) async fn checkpoint(&mut self) -> bool {
        self.session.checkpoint().await
    }

    pub(crate) async fn close(self) {
        self.session.close().await;
    }
}

/// An open transaction.
pub(super) struct OpenTransaction {
    began: Instant,
    /// The last batch's state, with the events that other processes have written since.
    kept: Option<BatchState>,
    /// A load with its rows, if it was read when the transaction started.
    loaded: Option<(StateLoad, Vec<SqlRow>)>,
}

/// Applies events of other processes to a state. Returns `None` if they do not continue it.
fn follow(mut state: BatchState, events: &[Arc<Event>]) -> Option<BatchState> {
    for event in events {
        let followed = state.follow(event);
        followed.inspect_err(|error| tracing::debug!(%error, "the state is loaded again")).ok()?;
    }
    Some(state)
}

/// Converts a damaged row, which one command of the batch needs. The other commands can be executed without it.
fn fail_some(damaged: DamagedEvent) -> BatchFailure {
    BatchFailure::Some(damaged.into())
}

fn fail_all(commands: &[CommandEnvelope], error: &StoreError) -> Vec<EnvelopeResult> {
    commands.iter().map(|_| Err(error.clone())).collect()
}
