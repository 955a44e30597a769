//! The time from a decision over HTTP until the client that waits for it has the answer, compared with a bare commit.

use crate::{
    client::BenchClient,
    lab::{self, BenchLab, LabOutcome},
    load::{call_path, decide, propose},
    server::BenchServer,
    start::await_waiters,
    table::{BenchSamples, ScenarioResult},
    wakeup::{self, CommitTimes},
};
use countersign_store::StoreOptions;
use std::time::Instant;

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
    let (median, p99) = ((500, "≤ commit + 0.5 ms"), (5_000, "≤ commit + 5 ms"));
    let rows = wakeup::rows("over HTTP", &woken, &bare.commits, median, p99);
    Ok(ScenarioResult { rows, costs: Vec::new() })
}
