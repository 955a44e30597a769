//! How long `countersign verify` takes for a log of a million events.

use crate::{
    cycles::{self, EXECUTORS},
    lab::{self, BenchLab, LabOutcome},
    server::run_command,
    table::BenchRow,
};
use countersign_store::StoreOptions;
use std::time::{Duration, Instant};

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
    run_command(&folder, &["verify"]).await?;
    let took = start.elapsed();
    Ok(vec![BenchRow {
        what: format!("`verify` of {events} events"),
        measured: format!("{:.1} s", took.as_secs_f64()),
        raw: "–".to_owned(),
        ratio: None,
        target: "≤ 6 s",
        met: Some(took <= Duration::from_secs(6)),
    }])
}
