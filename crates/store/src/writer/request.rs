//! Requests to the writer task, and their outcomes.

use crate::{DatabaseName, StoreError, copy_mark::CopyMark, database::SqlQuery};
use countersign_approvals::{Call, CommandEnvelope, RecordedEvent};
use countersign_events::{Event, Timestamp};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// An accepted command's outcome.
#[derive(Debug, Clone)]
pub struct CommandOutcome {
    /// The call after the command, if the command was about one call.
    pub call: Option<Call>,
    /// The events that were written. A repeated command writes none.
    pub events: Vec<RecordedEvent>,
}

/// A request to the writer task, with the channel for its answer.
pub(crate) enum WriterRequest {
    /// Execute a command.
    Command(Box<CommandEnvelope>, oneshot::Sender<Result<CommandOutcome, StoreError>>),
    /// Check that the database accepts writes.
    Probe(Timestamp, oneshot::Sender<Result<(), StoreError>>),
    /// Do maintenance.
    Maintenance(MaintenanceTask, oneshot::Sender<Result<(), StoreError>>),
}

impl WriterRequest {
    /// Answers with an error. The caller may have dropped its future.
    pub(super) fn refuse(self, error: StoreError) {
        match self {
            Self::Command(_, answer) => drop(answer.send(Err(error))),
            Self::Probe(_, answer) | Self::Maintenance(_, answer) => drop(answer.send(Err(error))),
        }
    }
}

/// Work in a separate transaction.
pub(crate) enum MaintenanceTask {
    /// Rebuild the index of open requests.
    RebuildIndex,
    /// Record when proposers were last seen, and delete the times of decided calls if `prune` is true.
    RecordPresence {
        /// A JSON array of thread, call and time.
        rows: String,
        prune: bool,
    },
    /// Give a webhook's delivery to a server.
    HoldLease(SqlQuery),
    /// Append events of the named log unchanged.
    CopyEvents(Vec<Arc<Event>>, DatabaseName),
    /// Set or clear the unfinished-copy mark.
    Mark(CopyMark),
    /// Remove archived content: a JSON array with `seq` and sealed data for each row.
    RemoveContent(String),
    /// Rewrite the files, so that none has erased content.
    RewriteFiles,
}

/// Queues a request and waits for its answer. Fails with [`StoreError::ShuttingDown`] if the writer has ended.
pub(crate) async fn send<T>(
    queue: &mpsc::Sender<WriterRequest>,
    request: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> WriterRequest,
) -> Result<T, StoreError> {
    let (answer, answered) = oneshot::channel();
    queue.send(request(answer)).await.map_err(|_| StoreError::ShuttingDown)?;
    answered.await.map_err(|_| StoreError::ShuttingDown)?
}
