//! The idle-log checkpoint. Without it, a quiet day's events stay in the write-ahead log, and a plain copy of the file
//! has none of them.

use super::BatchWriter;
use crate::{clock::machine_sleep, database::WriteSession};
use std::time::{Duration, Instant};

/// The next checkpoint. Each batch postpones it, and a readiness check, which writes too, does not.
pub(super) struct IdleCheckpoint {
    idle: Duration,
    due: Option<Instant>,
}

impl IdleCheckpoint {
    pub(super) fn due_after(idle: Duration) -> Self {
        Self { idle, due: Some(Instant::now() + idle) }
    }

    /// Makes a checkpoint due after an idle time that starts now.
    pub(super) fn postpone(&mut self) {
        self.due = Some(Instant::now() + self.idle);
    }

    /// Returns when the checkpoint is due; never if there is nothing to move.
    pub(super) async fn wait(&self) {
        match self.due {
            Some(due) => machine_sleep(due.saturating_duration_since(Instant::now())).await,
            None => std::future::pending().await,
        }
    }

    /// Moves the write-ahead log into the file. If a reader holds back a part of it, another attempt follows.
    pub(super) async fn run<D: WriteSession>(&mut self, writer: &mut BatchWriter<D>) {
        self.due = None;
        if !writer.checkpoint().await {
            self.postpone();
        }
    }
}
