//! How long `countersign verify` takes for a log of a million events.

use crate::{
    cycles::{self, EXECUTORS},
    lab::{self, BenchLab, LabOutcome},
    server,
    table::BenchRow,
};
use countersign_store::StoreOptions;
use std::time::{Duration, Instant};
use tokio::process::Command;

/// The number of rounds, in each of which each executor has a new thread with this many calls. Each call has five events.
const ROUNDS: usize = 62;
const CALLS: usize = 50;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let folder = lab::folder()?;
    let file = lab::file(&folder, "log.db");
    let lab = BenchLab::open(&file, StoreOptions::default()).await?;
    for round in 0..(if quick { 1 } else { ROUNDS }) {
        let first = round * EXECUTORS;
        cycles::run_all(&lab, first..first + EXECUTORS, CALLS).await?;
    }
    let events = lab.store.tip().await?;
    lab.store.close().await;
    let start = Instant::now();
    let mut command = Command::new(server::program()?);
    command.args(["--database", &file, "verify"]).env_clear().env("HOME", folder.path());
    let ended = command.output().await?;
    let took = start.elapsed();
    if !ended.status.success() {
        return Err(format!("verify: {}", String::from_utf8_lossy(&ended.stdout)).into());
    }
    Ok(vec![BenchRow {
        what: format!("`verify` of {events} events"),
        measured: format!("{:.1} s", took.as_secs_f64()),
        raw: "–".to_owned(),
        ratio: None,
        target: "≤ 6 s",
        met: Some(took <= Duration::from_secs(6)),
    }])
}
