//! Making a checkpoint: the chain is checked from the checkpoint before, and then its end is signed.

use super::{document::SignedCheckpoint, folder::CheckpointFolder, keys::CheckpointKey};
use countersign_api::{ApprovalGate, LogFilter, PageQuery};
use countersign_console::{CliError, CommandExit};
use countersign_events::{
    Sha256, Timestamp,
    chain::{Checkpoint, link},
};
use countersign_gate::EmbeddedGate;
use countersign_store::CheckpointReport;
use std::path::PathBuf;

/// The start of every log.
const START: Checkpoint = Checkpoint { seq: 0, hash: Sha256::ZERO };

/// The first event's link, which identifies the log; `None` for a log without events.
pub async fn identify_log(gate: &EmbeddedGate) -> anyhow::Result<Option<Sha256>> {
    let page = gate.events(&LogFilter::default(), PageQuery { after: 0, limit: 1 }).await?;
    Ok(page.events.first().map(|first| first.hash.unwrap_or_else(|| link(Sha256::ZERO, first))))
}

/// Refuses a checkpoint of another log. `source` names it in the error.
pub fn check_log(checkpoint: &SignedCheckpoint, log: Option<Sha256>, source: &str) -> Result<(), CliError> {
    match log {
        Some(found) if found != checkpoint.log => Err(CliError {
            exit: CommandExit::FAILED,
            code: "other_log",
            message: format!(
                "{source} is a checkpoint of another log: its first event has the hash {}, and the first event of this log {found}",
                checkpoint.log
            ),
        }),
        _ => Ok(()),
    }
}

/// Checks the chain after `from`, and signs its end. `progress` receives the `seq` of the last checked event.
pub async fn sign_tip(
    gate: &EmbeddedGate,
    key: &CheckpointKey,
    from: Option<Checkpoint>,
    now: Timestamp,
    progress: impl FnMut(i64),
) -> anyhow::Result<SignedCheckpoint> {
    let Some(log) = identify_log(gate).await? else {
        let message = "the log has no events, so there is nothing to sign".to_owned();
        return Err(CliError { exit: CommandExit::FAILED, code: "empty_log", message }.into());
    };
    let report = gate.verify_from(from.unwrap_or(START), progress).await?;
    match describe_damage(&report) {
        Some(message) => Err(CliError { exit: CommandExit::FAILED, code: "log_damaged", message }.into()),
        None => SignedCheckpoint::sign(key, log, report.tip, now),
    }
}

fn describe_damage(report: &CheckpointReport) -> Option<String> {
    let lost = report
        .mismatch
        .as_ref()
        .map(|why| format!("the log does not contain the checkpoint {}: {why}", report.from));
    let broken = || report.broken.as_ref().map(|why| format!("the hash chain breaks: {why}"));
    lost.or_else(broken).map(|why| format!("nothing was signed, because {why}"))
}

/// A checkpoint in a folder.
pub struct FiledCheckpoint {
    /// Its file.
    pub path: PathBuf,
    /// What was signed.
    pub checkpoint: SignedCheckpoint,
    /// False if the log has not grown since the newest checkpoint, which is this one.
    pub is_new: bool,
}

/// Continues a folder: checks its newest checkpoint and the chain after it, and writes a checkpoint of the tip. The
/// first checkpoint in a folder follows a check of the whole chain.
pub async fn continue_folder(
    gate: &EmbeddedGate,
    key: &CheckpointKey,
    folder: &CheckpointFolder,
    now: Timestamp,
    progress: impl FnMut(i64),
) -> anyhow::Result<FiledCheckpoint> {
    let newest = folder.newest()?;
    if let Some((path, last)) = &newest {
        let source = path.display().to_string();
        last.check_signature(key.public(), &source)?;
        check_log(last, identify_log(gate).await?, &source)?;
    }
    let from = newest.as_ref().map(|(_, last)| last.tip());
    let checkpoint = sign_tip(gate, key, from, now, progress).await?;
    match newest {
        Some((path, last)) if last.tip() == checkpoint.tip() => {
            Ok(FiledCheckpoint { path, checkpoint: last, is_new: false })
        }
        _ => Ok(FiledCheckpoint { path: folder.write(&checkpoint)?, checkpoint, is_new: true }),
    }
}
