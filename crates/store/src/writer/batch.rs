//! Executes a batch: all queued commands, in one transaction.

use super::{
    decided_batch::{DecidedBatch, EnvelopeResult},
    rows::{json, parse_rows},
};
use crate::{
    StoreError, UnavailableDatabase,
    database::{BatchFailure, SqlQuery, WriteSession},
    feed::EventFeed,
    metrics::StoreMetrics,
    queries,
};
use countersign_approvals::{BatchState, CommandEnvelope};
use countersign_events::{DamagedEvent, Sha256, Timestamp, chain};
use std::{iter, sync::Arc, time::Instant};

/// The most bytes of loaded events in the state that is kept between batches. A larger state is dropped after its batch,
/// and loaded again as needed. The parsed events take a few times as much memory.
const MAX_STATE_BYTES: usize = 16 * 1024 * 1024;

/// The writing connection, with the state of the log and the feed.
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
        let locked = self.session.lock().await;
        more(commands);
        let at_once = match locked {
            Ok(told) => self.execute_at_once(commands, told).await,
            Err(error) => return fail_all(commands, &error),
        };
        let mut outcomes = if let Some(outcomes) = at_once {
            outcomes
        } else {
            let begun = self.begin().await;
            more(commands);
            match begun {
                Ok(transaction) => self.execute_some(commands, Some(transaction)).await,
                Err(error) => return fail_all(commands, &error),
            }
        };
        while outcomes.len() < commands.len() {
            outcomes.extend(self.execute_some(&commands[outcomes.len()..], None).await);
        }
        outcomes
    }

    /// Decides the commands by the kept state, to which it adds what it lacks, and writes their events with one statement
    /// that also begins and commits the transaction. If the log has grown since, the first `seq` is taken, the statement
    /// fails, and nothing is written.
    /// `told` is the end of the log that another process told. Returns `None` if the commands must be executed step by
    /// step.
    async fn execute_at_once(
        &mut self,
        commands: &[CommandEnvelope],
        told: Option<i64>,
    ) -> Option<Vec<EnvelopeResult>> {
        let is_current = |state: &BatchState| {
            let tip = state.tip();
            tip == self.feed.tip() && told.is_none_or(|told| told == tip) && !self.feed.has_diverged()
        };
        if !D::APPENDS_AT_ONCE || !self.state.as_ref().is_some_and(is_current) {
            return None;
        }
        let began = Instant::now();
        // Rows that were read here and are later than the state's end take the first `seq`, too.
        let kept = self.state.take();
        let mut state = self.load(kept, commands).await.ok()?;
        let decided = DecidedBatch::decide(&mut state, commands).ok()?;
        if decided.events.is_empty() {
            // Only a look at the log can tell that the refusals are not outdated. It drops the state if they are.
            self.state = Some(state);
            return None;
        }
        match self.session.append_at_once(decided.rows(), decided.last_event()).await {
            Ok(()) => Some(self.keep(began, state, commands, decided)),
            Err(failed) => {
                tracing::debug!(error = %failed.error(), "a batch is executed step by step");
                None
            }
        }
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

    /// Executes each command in a transaction of its own, so that one bad command does not fail the others.
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
        let OpenTransaction { began, kept } = match transaction {
            Some(transaction) => transaction,
            None => self.begin().await.map_err(BatchFailure::Whole)?,
        };
        match self.write(kept, commands).await {
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
        state.forget_ended(commands.iter().filter_map(|command| command.target.call()));
        // A large state is dropped at once, so that a process that then waits does not hold it.
        self.state = Some(state).filter(|state| state.memory_bytes() < MAX_STATE_BYTES);
        if !events.is_empty() {
            self.metrics.record_commit(outcomes.len(), began.elapsed());
            self.feed.publish(&events);
        }
        outcomes
    }

    /// Waits for the write lock and begins a transaction.
    pub(super) async fn begin(&mut self) -> Result<OpenTransaction, StoreError> {
        let end = self.session.begin(self.feed.last_sealed()).await?;
        let known = self.feed.tip();
        // The feed delivers only committed events. If the log lacks one of them, the database went back.
        if end.tip < known || self.feed.has_diverged() {
            self.session.roll_back().await;
            return Err(UnavailableDatabase::Behind {
                place: self.session.database_name(),
                known,
                found: end.tip,
            }
            .into());
        }
        let is_at_end =
            |state: &BatchState| state.tip() == end.tip && end.hash.is_none_or(|hash| hash == state.link());
        let kept = self.state.take().filter(is_at_end);
        Ok(OpenTransaction { began: Instant::now(), kept })
    }

    /// Decides the commands, appends their events and commits.
    async fn write(
        &mut self,
        kept: Option<BatchState>,
        commands: &[CommandEnvelope],
    ) -> Result<(BatchState, DecidedBatch), BatchFailure> {
        let mut state = self.load(kept, commands).await?;
        let decided = DecidedBatch::decide(&mut state, commands).map_err(fail_some)?;
        if decided.events.is_empty() {
            self.session.roll_back().await;
        } else {
            self.session.query_all(SqlQuery::new(D::APPEND).bind(decided.rows())).await?;
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
        let read_end = kept.is_none();
        let mut state = kept.unwrap_or_else(|| BatchState::new(0, Sha256::ZERO));
        let missing = state.missing(commands);
        if missing.is_empty() {
            return Ok(state);
        }
        let query = SqlQuery::new(D::LOAD)
            .bind(json(&missing.calls))
            .bind(json(&missing.threads))
            .bind(json(&missing.open))
            .bind(read_end)
            .bind(missing.since.to_string())
            .bind(missing.all_open)
            .bind(json(&missing.same_arguments));
        let rows = self.session.query_all(query).await?;
        let found = rows.first().and_then(|row| row.bytes(0).ok().flatten()).unwrap_or(b"[]");
        let loaded = parse_rows(&String::from_utf8_lossy(found)).map_err(fail_some)?;
        if read_end {
            let mut link = Sha256::ZERO;
            for event in &loaded.end {
                link = event.hash.unwrap_or_else(|| chain::link(link, event));
            }
            state = BatchState::new(loaded.end.last().map_or(0, |event| event.seq), link);
            state.set_policy(loaded.policy);
        }
        state.load(&missing, &loaded.events).map_err(fail_some)?;
        Ok(state)
    }

    /// Writes a row outside of the log, to check that the database accepts writes.
    pub(super) async fn probe(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.run_alone([SqlQuery::new(queries::PROBE).bind(now.to_string())]).await
    }

    /// Rebuilds the index of open requests from the events.
    pub(super) async fn rebuild_index(&mut self) -> Result<(), StoreError> {
        self.run_alone([queries::CLEAR_OPEN_REQUESTS, queries::REBUILD_OPEN_REQUESTS].map(SqlQuery::new))
            .await
    }

    /// Records when proposers were last seen, which is not part of the log.
    pub(super) async fn record_presence(&mut self, rows: String, prune: bool) -> Result<(), StoreError> {
        let record = SqlQuery::new(D::RECORD_PRESENCE).bind(rows);
        self.run_alone(iter::once(record).chain(prune.then(|| SqlQuery::new(queries::PRUNE_PRESENCE)))).await
    }

    /// Runs statements that append nothing, in a transaction of their own.
    async fn run_alone(&mut self, queries: impl IntoIterator<Item = SqlQuery>) -> Result<(), StoreError> {
        let OpenTransaction { kept, .. } = self.begin().await?;
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
    /// The state of the last batch, if no other process has written since.
    kept: Option<BatchState>,
}

/// Converts a damaged row, which one command of the batch needs. The other commands can be executed without it.
fn fail_some(damaged: DamagedEvent) -> BatchFailure {
    BatchFailure::Some(damaged.into())
}

fn fail_all(commands: &[CommandEnvelope], error: &StoreError) -> Vec<EnvelopeResult> {
    commands.iter().map(|_| Err(error.clone())).collect()
}
