//! The number of cycles per second over HTTP, compared with the same cycles without HTTP and with requests that do
//! nothing. The server is in its own process, and the load runs on the same processors.

use crate::{
    client::{BenchClient, BenchServer},
    cycles::{self, EXECUTORS, median, per_second},
    lab::{self, LabOutcome},
    streams,
    table::BenchRow,
};
use std::{net::SocketAddr, time::Instant};
use tokio::{
    runtime::Builder,
    task::{JoinSet, spawn_blocking},
};

/// The number of requests of a cycle: propose, decide, claim, result.
const REQUESTS: usize = 4;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let mut rows = measure_cycles(quick).await?;
    rows.extend(streams::run(quick).await?);
    Ok(rows)
}

async fn measure_cycles(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (rounds, each) = if quick { (1, 5) } else { (5, 200) };
    let cycles = EXECUTORS * each;
    let (mut http, mut embedded, mut nothing) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        // The rounds alternate, so that other load on the machine affects all three.
        let folder = lab::folder()?;
        let server = BenchServer::start(&lab::file(&folder, "http.db"), "full").await?;
        http.push(per_second(cycles, load(server.address, each, HttpLoad::Cycles).await?));
        nothing.push(per_second(
            cycles * REQUESTS,
            load(server.address, each * REQUESTS, HttpLoad::Nothing).await?,
        ));
        server.stop().await?;
        let (seconds, _) =
            cycles::store(&lab::file(&folder, "embedded.db"), 0..cycles::EXECUTORS, each).await?;
        embedded.push(per_second(cycles, seconds));
    }
    let (measured, embedded, nothing) = (median(&mut http), median(&mut embedded), median(&mut nothing));
    let best = http.last().copied().unwrap_or_default();
    let requests = measured * 4.0;
    Ok(vec![
        BenchRow {
            what: format!("whole cycles over HTTP with {EXECUTORS} executors, median of {rounds} × {cycles}"),
            measured: format!("{measured:.0} /s (best {best:.0})"),
            raw: format!("{embedded:.0} /s, without HTTP"),
            ratio: Some(measured / embedded),
            target: "≥ 2,000 /s, aim 3,500",
            met: Some(measured >= 2_000.0),
        },
        BenchRow {
            what: "requests in those cycles".into(),
            measured: format!("{requests:.0} /s"),
            raw: format!("{nothing:.0} /s, GET /healthz"),
            ratio: Some(requests / nothing),
            target: "–",
            met: None,
        },
    ])
}

#[derive(Clone, Copy)]
enum HttpLoad {
    Cycles,
    Nothing,
}

/// Runs all executors concurrently, each with its own connection and `each` repetitions. Returns the duration in
/// seconds. The executors share one thread of the operating system, which leaves more processor time to the server.
async fn load(address: SocketAddr, each: usize, load: HttpLoad) -> LabOutcome<f64> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    spawn_blocking(move || runtime.block_on(execute(address, each, load))).await?
}

async fn execute(address: SocketAddr, each: usize, load: HttpLoad) -> LabOutcome<f64> {
    let mut clients = Vec::new();
    for _ in 0..EXECUTORS {
        clients.push(BenchClient::connect(address).await?);
    }
    let mut executors = JoinSet::new();
    let start = Instant::now();
    for (n, mut client) in clients.into_iter().enumerate() {
        executors.spawn(async move {
            for call in 0..each {
                match load {
                    HttpLoad::Cycles => cycle(&mut client, n, call).await?,
                    HttpLoad::Nothing => client.get("/healthz").await?,
                }
            }
            LabOutcome::Ok(())
        });
    }
    while let Some(done) = executors.join_next().await {
        done??;
    }
    Ok(start.elapsed().as_secs_f64())
}

async fn cycle(client: &mut BenchClient, thread: usize, call: usize) -> LabOutcome<()> {
    propose(client, thread, call).await?;
    decide(client, thread, call).await?;
    let path = format!("/v1/threads/thread-{thread}/tool-calls/call_{call}");
    let hash = lab::arguments(&lab::call(call)?)?.hash();
    let claim = format!(r#"{{"executor":"worker","argumentsHash":"{hash}"}}"#);
    client.post(&format!("{path}/claim"), &claim).await?;
    client.post(&format!("{path}/result"), r#"{"status":"success","content":"ok"}"#).await
}

pub(crate) async fn propose(client: &mut BenchClient, thread: usize, call: usize) -> LabOutcome<()> {
    let arguments = lab::json(&lab::call(call)?);
    let body = format!(r#"{{"id":"call_{call}","name":"bash","arguments":{arguments}}}"#);
    client.post(&format!("/v1/threads/thread-{thread}/tool-calls"), &body).await
}

pub(crate) async fn decide(client: &mut BenchClient, thread: usize, call: usize) -> LabOutcome<()> {
    let path = format!("/v1/threads/thread-{thread}/approvals/call_{call}");
    client.post(&path, r#"{"decision":"allow_once"}"#).await
}
