//! The checkpoints that `serve` signs on a schedule.

use super::args::CheckpointArgs;
use crate::{
    checkpoint::{folder::CheckpointFolder, keys::CheckpointKey, make::continue_folder},
    exit::CliError,
};
use countersign_gate::{Clock, EmbeddedGate, policy::parse_span};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The shortest interval.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// The schedule of checkpoints of a server.
pub(super) struct CheckpointSchedule {
    key: CheckpointKey,
    folder: CheckpointFolder,
    interval: Duration,
}

impl CheckpointSchedule {
    /// Reads the key and the options; `None` if the server signs no checkpoints.
    pub(super) fn from_args(args: &CheckpointArgs) -> anyhow::Result<Option<Self>> {
        let (Some(key), Some(folder)) = (&args.key, &args.folder) else { return Ok(None) };
        let interval = parse_span(&args.interval).filter(|span| *span >= MIN_INTERVAL);
        let why = || {
            let given = &args.interval;
            CliError::usage(format!("--checkpoint-every {given}: use a time such as 10m, 1h or 1d"))
        };
        let interval = interval.ok_or_else(why)?;
        Ok(Some(Self { key: CheckpointKey::read(key)?, folder: CheckpointFolder::open(folder)?, interval }))
    }

    /// Signs a checkpoint now, then at each interval, and once more after the server has ended.
    pub(super) async fn follow(self, gate: EmbeddedGate, served: CancellationToken) {
        while !served.is_cancelled() {
            self.sign(&gate).await;
            tokio::select! {
                () = served.cancelled() => {}
                () = Clock::System.sleep(self.interval) => {}
            }
        }
        self.sign(&gate).await;
    }

    /// Signs the tip, and logs the outcome: a failure must not stop the server.
    async fn sign(&self, gate: &EmbeddedGate) {
        match continue_folder(gate, &self.key, &self.folder, Clock::System.now(), |_| {}).await {
            Ok(filed) if filed.is_new => {
                let (seq, file) = (filed.checkpoint.seq, filed.path.display());
                tracing::info!(seq, %file, "signed a checkpoint");
            }
            Ok(_) => {}
            Err(error) => tracing::error!(error = %format_args!("{error:#}"), "no checkpoint was signed"),
        }
    }
}
