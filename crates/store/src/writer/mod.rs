//! The writer task, the only code in a process that appends events. It takes all queued commands as one batch, decides
//! them one by one in memory, appends their events in one transaction, commits once and answers each caller. Commands
//! in a batch share one fsync, so throughput grows with load, and a single command costs one commit.
//!
//! Over a file it is a task on its own thread, which runs the statements, too.

mod batch;
mod decided_batch;
mod erasure;
mod idle_checkpoint;
mod load;
mod maintenance;
mod own_thread;
mod request;
mod rows;

pub(crate) use batch::BatchWriter;
pub(crate) use erasure::sealed_rows;
pub(crate) use own_thread::spawn_thread;
pub use request::CommandOutcome;
pub(crate) use request::{MaintenanceTask, WriterRequest, send};
pub(crate) use rows::rows_json;

use crate::{StoreError, UnavailableDatabase, database::WriteSession};
use countersign_approvals::CommandEnvelope;
use countersign_events::Timestamp;
use idle_checkpoint::IdleCheckpoint;
use std::{iter, time::Duration};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Executes batches until `stop` is cancelled. Commands that are queued at that time are still executed. Returns the
/// writer, which the caller must close after all read connections.
pub(crate) async fn run<D: WriteSession>(
    mut writer: BatchWriter<D>,
    mut inbox: mpsc::Receiver<WriterRequest>,
    max_batch: usize,
    idle: Duration,
    stop: CancellationToken,
) -> BatchWriter<D> {
    let mut requests = Vec::with_capacity(max_batch);
    // The last process to use the file may have left a write-ahead log.
    let mut checkpoint = IdleCheckpoint::due_after(idle);
    loop {
        tokio::select! {
            biased;
            count = inbox.recv_many(&mut requests, max_batch) => if count == 0 { break },
            () = stop.cancelled(), if !inbox.is_closed() => { inbox.close(); continue }
            () = checkpoint.wait() => { checkpoint.run(&mut writer).await; continue }
        }
        let mut callers = WaitingCallers::default();
        let mut locked: Option<StoreError> = None;
        let mut commands = Vec::with_capacity(requests.len());
        for request in requests.drain(..) {
            callers.add(request, &mut commands);
        }
        if !commands.is_empty() {
            let more = |commands: &mut Vec<CommandEnvelope>| {
                while commands.len() < max_batch
                    && let Ok(request) = inbox.try_recv()
                {
                    callers.add(request, commands);
                }
            };
            let outcomes = writer.execute_all(&mut commands, more).await;
            checkpoint.postpone();
            locked = outcomes.iter().find_map(locked_error);
            refuse_queued(&mut inbox, locked.as_ref());
            for (answer, outcome) in callers.answers.drain(..).zip(outcomes) {
                // The caller may have dropped its future. The command was still executed.
                let _ = answer.send(outcome);
            }
        }
        match &locked {
            Some(error) => callers.refuse_other_requests(error),
            None => callers.run_other_requests(&mut writer, &mut inbox).await,
        }
        // Let the callers that were just answered queue their next command, so that it shares the next batch.
        tokio::task::yield_now().await;
    }
    writer
}

/// Answers all requests with `error` until `stop` is cancelled: the writer for a read-only log.
pub(crate) async fn refuse(
    mut inbox: mpsc::Receiver<WriterRequest>,
    error: StoreError,
    stop: CancellationToken,
) {
    while let Some(request) = tokio::select! {
        request = inbox.recv() => request,
        () = stop.cancelled() => None,
    } {
        request.refuse(error.clone());
    }
}

/// The waiting callers of one batch.
#[derive(Default)]
struct WaitingCallers {
    /// One sender for each command of the batch, in the same order.
    answers: Vec<oneshot::Sender<Result<CommandOutcome, StoreError>>>,
    probes: Vec<(Timestamp, oneshot::Sender<Result<(), StoreError>>)>,
    maintenance: Vec<(MaintenanceTask, oneshot::Sender<Result<(), StoreError>>)>,
}

impl WaitingCallers {
    fn add(&mut self, request: WriterRequest, commands: &mut Vec<CommandEnvelope>) {
        match request {
            WriterRequest::Command(envelope, answer) => {
                commands.push(*envelope);
                self.answers.push(answer);
            }
            WriterRequest::Probe(now, answer) => self.probes.push((now, answer)),
            WriterRequest::Maintenance(task, answer) => self.maintenance.push((task, answer)),
        }
    }

    /// Executes probes and maintenance after the commands, so that they do not delay a command in the same batch. If
    /// one of them finds the log locked, the others and those in `inbox` do not wait for it again.
    async fn run_other_requests<D: WriteSession>(
        mut self,
        writer: &mut BatchWriter<D>,
        inbox: &mut mpsc::Receiver<WriterRequest>,
    ) {
        let mut locked = None;
        // One write answers all probes.
        if let Some(now) = self.probes.iter().map(|(now, _)| *now).max() {
            let outcome = writer.probe(now).await;
            locked = locked_error(&outcome);
            refuse_queued(inbox, locked.as_ref());
            for (_, answer) in self.probes.drain(..) {
                let _ = answer.send(outcome.clone());
            }
        }
        for (task, answer) in self.maintenance.drain(..) {
            let outcome = match &locked {
                Some(error) => Err(error.clone()),
                None => writer.maintain(task).await,
            };
            if locked.is_none() {
                locked = locked_error(&outcome);
                refuse_queued(inbox, locked.as_ref());
            }
            let _ = answer.send(outcome);
        }
    }

    fn refuse_other_requests(self, error: &StoreError) {
        let maintenance = self.maintenance.into_iter().map(|(_, answer)| answer);
        for answer in self.probes.into_iter().map(|(_, answer)| answer).chain(maintenance) {
            let _ = answer.send(Err(error.clone()));
        }
    }
}

/// Refuses the requests that were queued while a batch failed to get the write lock, so that they do not wait once
/// more. This comes before the batch is answered: a caller that learns of the lock and retries is not refused without
/// an attempt.
fn refuse_queued(inbox: &mut mpsc::Receiver<WriterRequest>, locked: Option<&StoreError>) {
    let Some(error) = locked else { return };
    let queued: Vec<_> = iter::from_fn(|| inbox.try_recv().ok()).collect();
    for request in queued {
        request.refuse(error.clone());
    }
}

/// The error in the outcome, if the write lock did not become free in time.
fn locked_error<T>(outcome: &Result<T, StoreError>) -> Option<StoreError> {
    let error = outcome.as_ref().err()?;
    matches!(error, StoreError::DatabaseUnavailable(UnavailableDatabase::Locked { .. }))
        .then(|| error.clone())
}
