//! `countersign verify --archive`

use countersign_console::{CommandContext, escape_text};
use countersign_gate::{ArchiveCheck, EmbeddedGate, GateFailure};
use countersign_store::StoreError;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The findings about the archives that were named.
pub(super) struct ArchiveFindings {
    /// Each file with its check, or the reason why it is not an intact archive of the log.
    files: Vec<(String, Result<ArchiveCheck, String>)>,
}

impl ArchiveFindings {
    /// Checks the archives. Fails if the log cannot be read.
    pub(super) async fn read(
        context: &CommandContext,
        gate: &EmbeddedGate,
        paths: &[PathBuf],
    ) -> anyhow::Result<Self> {
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            let total = countersign_api::ApprovalGate::tip(gate, None).await?;
            let mut progress = context.progress("events of the archive");
            let checked = gate.check_archive(path, |done| progress.update(done, total)).await;
            progress.clear();
            let checked = match checked {
                Ok(checked) => Ok(checked),
                Err(GateFailure::Store(StoreError::BadArchive { why, .. })) => Err(why),
                Err(error) => return Err(error.into()),
            };
            files.push((path.display().to_string(), checked));
        }
        Ok(Self { files })
    }

    /// Returns true if nothing is wrong.
    pub(super) fn holds(&self) -> bool {
        self.files.iter().all(|(_, checked)| checked.as_ref().is_ok_and(|check| !check.has_erased_texts))
    }

    /// The findings in lines.
    pub(super) fn lines(&self) -> Vec<String> {
        self.files.iter().map(|(file, checked)| describe(&escape_text(file), checked)).collect()
    }

    pub(super) fn to_json(&self) -> Value {
        let one = |(file, checked): &(String, Result<ArchiveCheck, String>)| {
            let check = checked.as_ref().ok();
            json!({
                "file": file,
                "problem": checked.as_ref().err(),
                "threads": check.map(|check| check.contents.threads.len()),
                "events": check.map(|check| check.contents.events),
                "digest": check.map(|check| check.contents.digest),
                "left": check.map(|check| check.left.clone()),
                "hasErasedTexts": check.map(|check| check.has_erased_texts),
            })
        };
        self.files.iter().map(one).collect()
    }
}

fn describe(file: &str, checked: &Result<ArchiveCheck, String>) -> String {
    let ArchiveCheck { contents, left, has_erased_texts } = match checked {
        Ok(check) => check,
        Err(why) => return format!("The archive {file} does not hold: {}", escape_text(why)),
    };
    let (threads, events) = (contents.threads.len(), contents.events);
    let holds = format!("The archive {file} is intact: {threads} threads, {events} events, all of this log.");
    let again = "run the same `countersign archive` again";
    let unfinished = (!left.is_empty())
        .then(|| format!("The log has the content of {} of its threads too: {again}.", left.len()));
    let erased = has_erased_texts
        .then(|| format!("It has the content of calls that were erased since: {again}, which erases them."));
    let lines = [Some(holds), Some(format!("digest {}", contents.digest)), unfinished, erased];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}
