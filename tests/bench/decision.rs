//! The time from a decision over HTTP until the client that waits for it has the answer, compared with a bare commit, and
//! the same while many clients decide at once.

use crate::{
    client::{BenchClient, BenchTarget},
    cycles::EXECUTORS,
    lab::{self, BenchLab, LabOutcome},
    load::{call_path, decide, propose},
    server::BenchServer,
    start::await_waiters,
    table::{BenchRow, BenchSamples, ScenarioResult, ms},
    wakeup::{self, CommitTimes},
};
use countersign_store::StoreOptions;
use std::time::{Duration, Instant};
use tokio::{
    runtime::Builder,
    task::{JoinSet, spawn_blocking, yield_now},
};

pub(crate) async fn run(quick: bool) -> LabOutcome<ScenarioResult> {
    let samples = if quick { 10 } else { 1_000 };
    let folder = lab::folder()?;
    let server = BenchServer::start(&folder).await?;
    let rows_lab = BenchLab::open(&lab::file(&folder, "rows.db"), StoreOptions::default()).await?;
    let mut bare = CommitTimes::new(&lab::file(&folder, "bare.db")).await?;
    let mut approver = BenchClient::connect(&server.target).await?;
    let (thread, mut woken) = (lab::thread(0)?, BenchSamples::default());
    for call in 0..samples {
        propose(&mut approver, 0, call).await?;
        let mut agent = BenchClient::connect(&server.target).await?;
        let waiting = tokio::spawn(async move {
            agent.get_with(&call_path(0, call), &[("prefer", "wait=60")]).await?;
            LabOutcome::Ok(Instant::now())
        });
        await_waiters(&server, 1).await?;
        let start = Instant::now();
        decide(&mut approver, 0, call).await?;
        woken.add(waiting.await??.duration_since(start));
        // The same event, committed alone, at about the same moment.
        let id = lab::call(call)?;
        rows_lab.propose(&thread, &id).await?;
        let decided = rows_lab.allow(&thread, &id).await?;
        bare.commit(decided.events.iter().map(|event| (**event).clone()).collect()).await?;
    }
    rows_lab.store.close().await;
    server.stop().await?;
    let (median, p99) = ((300, "≤ commit + 0.3 ms"), (5_000, "≤ commit + 5 ms"));
    let mut rows = wakeup::rows("over HTTP", &woken, &bare.commits, median, p99);
    rows.push(measure_crowd(samples / 10).await?);
    Ok(ScenarioResult { rows, costs: Vec::new() })
}

/// Measures the same while this many pairs of an agent and an approver are busy.
async fn measure_crowd(each: usize) -> LabOutcome<BenchRow> {
    let folder = lab::folder()?;
    let server = BenchServer::start(&folder).await?;
    let target = server.target.clone();
    // One thread of the operating system leaves more processor time to the server.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let woken = spawn_blocking(move || runtime.block_on(decide_in_crowd(&target, each))).await??;
    server.stop().await?;
    let (median, p99) = (woken.median(), woken.p99());
    Ok(BenchRow {
        what: format!("the same, {EXECUTORS} at once, median of {}", woken.count()),
        measured: format!("{} (p99 {})", ms(median), ms(p99)),
        raw: "–".to_owned(),
        ratio: None,
        target: "≤ 4 ms (p99 ≤ 12 ms)",
        met: Some(median <= Duration::from_millis(4) && p99 <= Duration::from_millis(12)),
    })
}

async fn decide_in_crowd(target: &BenchTarget, each: usize) -> LabOutcome<BenchSamples> {
    let mut pairs = JoinSet::new();
    for thread in 0..EXECUTORS {
        let target = target.clone();
        pairs.spawn(async move {
            let mut approver = BenchClient::connect(&target).await?;
            let mut woken = Vec::new();
            for call in 0..each {
                propose(&mut approver, thread, call).await?;
                let mut agent = BenchClient::connect(&target).await?;
                let waiting = tokio::spawn(async move {
                    agent.get_with(&call_path(thread, call), &[("prefer", "wait=60")]).await?;
                    LabOutcome::Ok(Instant::now())
                });
                // The wait reaches the server first, because it is sent first.
                yield_now().await;
                let start = Instant::now();
                decide(&mut approver, thread, call).await?;
                woken.push(waiting.await??.duration_since(start));
            }
            LabOutcome::Ok(woken)
        });
    }
    let mut all = Vec::new();
    while let Some(woken) = pairs.join_next().await {
        all.extend(woken??);
    }
    Ok(all.into_iter().collect())
}
