//! Starting a server, and its memory: idle, and with many waiting clients.

use crate::{
    client::BenchClient,
    cycles::EXECUTORS,
    lab::{self, LabOutcome},
    load::{HttpLoad, LoadSize, call_path},
    server::BenchServer,
    table::{BenchRow, BenchSamples, ScenarioResult, ms},
};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::task::JoinSet;

const PENDING: &str = "/v1/approvals/pending";

pub(crate) async fn run(quick: bool) -> LabOutcome<ScenarioResult> {
    let (samples, waiters) = if quick { (2, 64) } else { (30, 10_000) };
    let folder = lab::folder()?;
    let server = BenchServer::start(&folder).await?;
    let size = LoadSize { connections: EXECUTORS, each: waiters / EXECUTORS + 1 };
    HttpLoad::ProposalsInOneThread { first: 0 }.run(&server.target, size).await?;
    let waiting = measure_waiters(&server, waiters).await?;
    server.stop().await?;
    let (first, idle) = measure_starts(&folder, samples).await?;
    let rows = vec![first, idle, waiting];
    Ok(ScenarioResult { rows, costs: Vec::new() })
}

/// Measures the time from the program's start to its first answer, and its memory after that, with an existing log and
/// with a new one.
async fn measure_starts(existing: &TempDir, samples: usize) -> LabOutcome<(BenchRow, BenchRow)> {
    let (mut took, mut took_new, mut memory) = (BenchSamples::default(), BenchSamples::default(), Vec::new());
    for _ in 0..samples {
        took.add(start_once(existing).await?.0);
        let (new, bytes) = start_once(&lab::folder()?).await?;
        took_new.add(new);
        memory.push(bytes);
    }
    let most = memory.into_iter().max().unwrap_or_default() / (1024 * 1024);
    let first = BenchRow {
        what: format!("start to the first answer, median of {samples}"),
        measured: format!("{} (p99 {})", ms(took.median()), ms(took.p99())),
        raw: format!("{}, with a new log", ms(took_new.median())),
        ratio: None,
        target: "< 50 ms",
        met: Some(took.median().max(took_new.median()) < Duration::from_millis(50)),
    };
    let idle = BenchRow {
        what: format!("resident memory of an idle server, the most of {samples}"),
        measured: format!("{most} MiB"),
        raw: "–".into(),
        ratio: None,
        target: "< 25 MiB",
        met: Some(most < 25),
    };
    Ok((first, idle))
}

/// Returns the time to the first answer, and the memory a second later.
async fn start_once(folder: &TempDir) -> LabOutcome<(Duration, usize)> {
    let start = Instant::now();
    let server = BenchServer::start(folder).await?;
    BenchClient::connect(&server.target).await?.get(&format!("{PENDING}?limit=1")).await?;
    let took = start.elapsed();
    lab::pause(Duration::from_secs(1)).await;
    let memory = server.memory()?;
    server.stop().await?;
    Ok((took, memory))
}

/// Measures how much memory the server needs for clients that wait for a decision, each for its own call over its own
/// connection.
async fn measure_waiters(server: &BenchServer, waiters: usize) -> LabOutcome<BenchRow> {
    lab::allow_many_files()?;
    let before = server.memory()?;
    let mut waiting = JoinSet::new();
    for call in 0..waiters {
        let client = BenchClient::connect(&server.target).await?;
        waiting.spawn(wait(client, call));
    }
    await_waiters(server, waiters).await?;
    let bytes = server.memory()?.saturating_sub(before) / waiters;
    Ok(BenchRow {
        what: format!("memory of the server per waiting client, of {waiters}"),
        measured: format!("{bytes} bytes"),
        raw: "–".into(),
        ratio: None,
        target: "≤ 5 KiB",
        met: Some(bytes <= 5 * 1024),
    })
}

/// Waits for a decision, which does not come.
async fn wait(mut client: BenchClient, call: usize) -> LabOutcome<()> {
    client.get_with(&call_path(0, call), &[("prefer", "wait=600")]).await?;
    Ok(())
}

/// Waits until this many clients wait for a decision.
pub(crate) async fn await_waiters(server: &BenchServer, waiters: usize) -> LabOutcome<()> {
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    let expected = waiters as f64;
    while server.metric("countersign_feed_waiters").await? < expected {
        lab::pause(Duration::from_millis(1)).await;
    }
    Ok(())
}
