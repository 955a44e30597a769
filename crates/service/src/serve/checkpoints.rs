//! The checkpoints that `serve` signs on a schedule.

use super::args::CheckpointArgs;
use crate::checkpoint::{folder::CheckpointFolder, keys::CheckpointKey, make::continue_folder};
use countersign_console::{CliError, CommandContext, SettingKey};
use countersign_gate::EmbeddedGate;
use countersign_policy::parse_span;
use countersign_server::CheckpointMonitor;
use countersign_store::Clock;
use std::{path::PathBuf, time::Duration};
use tokio_util::sync::CancellationToken;

/// The shortest interval.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// The interval without the option and the setting.
const USUAL_INTERVAL: &str = "1h";

/// The schedule of checkpoints of a server.
pub(super) struct CheckpointSchedule {
    key: CheckpointKey,
    folder: CheckpointFolder,
    interval: Duration,
    /// What the server reports.
    pub(super) monitor: CheckpointMonitor,
}

impl CheckpointSchedule {
    /// Reads the key, the folder and the interval; `None` if the server signs no checkpoints.
    pub(super) fn read(context: &CommandContext, args: &CheckpointArgs) -> anyhow::Result<Option<Self>> {
        let setting = |key| context.settings.text_with_origin(key).map(|(text, _)| text.to_owned());
        let path = |given: &Option<PathBuf>, key| given.clone().or_else(|| setting(key).map(PathBuf::from));
        let key = path(&args.key, SettingKey::CheckpointKey);
        let folder = path(&args.folder, SettingKey::CheckpointTo);
        let interval = args.interval.clone().or_else(|| setting(SettingKey::CheckpointEvery));
        let (key, folder) = match (key, folder) {
            (Some(key), Some(folder)) => (key, folder),
            (None, None) if interval.is_none() => return Ok(None),
            _ => {
                let why = "--checkpoint-key, --checkpoint-to and --checkpoint-every belong together: set the key and the folder";
                return Err(CliError::usage(why).into());
            }
        };
        let interval = interval.as_deref().unwrap_or(USUAL_INTERVAL);
        let span = parse_span(interval).filter(|span| *span >= MIN_INTERVAL);
        let why =
            || CliError::usage(format!("--checkpoint-every {interval}: use a time such as 10m, 1h or 1d"));
        Ok(Some(Self {
            interval: span.ok_or_else(why)?,
            key: CheckpointKey::read(&key)?,
            folder: CheckpointFolder::open(&folder)?,
            monitor: CheckpointMonitor::default(),
        }))
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

    /// Signs the tip, and reports the outcome: a failure must not stop the server.
    async fn sign(&self, gate: &EmbeddedGate) {
        let now = Clock::System.now();
        match continue_folder(gate, &self.key, &self.folder, now, |_| {}).await {
            Ok(filed) => {
                if filed.is_new {
                    let (seq, file) = (filed.checkpoint.seq, filed.path.display());
                    tracing::info!(seq, %file, "signed a checkpoint");
                }
                self.monitor.record_success(now);
            }
            Err(error) => {
                let trouble = format!("{error:#}");
                tracing::error!(error = trouble, "no checkpoint was signed");
                self.monitor.record_failure(trouble);
            }
        }
    }
}
