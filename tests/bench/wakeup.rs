//! The time from a decision until the executor wakes, in one process and across two, compared with a bare commit of the
//! same row.

use crate::{
    bare::BareLoop,
    lab::{self, BenchLab, LabOutcome, OtherProcess},
    table::{BenchRow, BenchSamples, ms, times},
};
use countersign_events::{CallId, CallState, Event, ThreadId};
use countersign_store::{Store, StoreOptions};
use std::time::{Duration, Instant};
use tokio::{
    io::{AsyncBufReadExt, BufReader, stdin},
    sync::oneshot,
};

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let samples = if quick { 10 } else { 1_000 };
    let mut rows = measure_one_process(samples).await?;
    rows.extend(measure_two_processes(samples).await?);
    Ok(rows)
}

async fn measure_one_process(samples: usize) -> LabOutcome<Vec<BenchRow>> {
    let folder = lab::folder()?;
    let lab = BenchLab::open(&lab::file(&folder, "store.db"), StoreOptions::default()).await?;
    let mut bare = CommitTimes::new(&lab::file(&folder, "bare.db")).await?;
    let (thread, mut woken) = (lab::thread(0)?, BenchSamples::default());
    for n in 0..samples {
        let id = lab::call(n)?;
        lab.propose(&thread, &id).await?;
        let (ready, is_ready) = oneshot::channel();
        let store = lab.store.clone();
        let (of, call) = (thread.clone(), id.clone());
        let executor = tokio::spawn(async move { wait(&store, &of, &call, ready).await });
        is_ready.await?;
        let start = Instant::now();
        let done = lab.allow(&thread, &id).await?;
        woken.add(executor.await??.duration_since(start));
        bare.commit(done.events.iter().map(|event| (**event).clone()).collect()).await?;
    }
    lab.store.close().await;
    let (median, p99) = ((1_000, "≤ commit + 1 ms"), (5_000, "≤ commit + 5 ms"));
    Ok(rows("in one process", &woken, &bare.commits, median, p99))
}

async fn measure_two_processes(samples: usize) -> LabOutcome<Vec<BenchRow>> {
    let folder = lab::folder()?;
    let (woken, commits) =
        measure_across_processes(&lab::file(&folder, "store.db"), &lab::file(&folder, "bare.db"), samples)
            .await?;
    Ok(rows("across two processes", &woken, &commits, (1_000, "≤ commit + 1 ms"), (5_000, "≤ commit + 5 ms")))
}

/// Measures decisions in this process that wake an executor in another process, and bare commits, on either database.
pub(crate) async fn measure_across_processes(
    address: &str,
    bare: &str,
    samples: usize,
) -> LabOutcome<(BenchSamples, BenchSamples)> {
    let lab = BenchLab::open(address, StoreOptions::default()).await?;
    let mut bare = CommitTimes::new(bare).await?;
    let mut other = OtherProcess::start("executor", &[address.to_owned()])?;
    let (thread, mut woken) = (lab::thread(0)?, BenchSamples::default());
    for n in 0..samples {
        let id = lab::call(n)?;
        lab.propose(&thread, &id).await?;
        other.send_line(&n.to_string()).await?;
        other.expect_line("ready").await?;
        let start = Instant::now();
        let done = lab.allow(&thread, &id).await?;
        other.expect_line("awake").await?;
        woken.add(start.elapsed());
        bare.commit(done.events.iter().map(|event| (**event).clone()).collect()).await?;
    }
    other.kill().await?;
    lab.store.close().await;
    Ok((woken, bare.commits))
}

/// The maximum time in addition to a commit, in microseconds, and the text of this target.
type WakeupTarget = (u64, &'static str);

pub(crate) fn rows(
    where_: &str,
    woken: &BenchSamples,
    commits: &BenchSamples,
    median: WakeupTarget,
    p99: WakeupTarget,
) -> Vec<BenchRow> {
    let row = |name, ours: Duration, raw: Duration, (allowed, target): WakeupTarget| BenchRow {
        what: format!("decision to awake executor {where_}, {name} of {}", woken.count()),
        measured: ms(ours),
        raw: format!("{}, bare commit", ms(raw)),
        ratio: Some(times(ours, raw)),
        target,
        met: Some(ours <= raw + Duration::from_micros(allowed)),
    };
    vec![row("median", woken.median(), commits.median(), median), row("p99", woken.p99(), commits.p99(), p99)]
}

/// Waits like an executor until the call is allowed. Returns the time at which it wakes. Sends on `ready` after the
/// first read of the call.
async fn wait(
    store: &Store,
    thread: &ThreadId,
    id: &CallId,
    ready: oneshot::Sender<()>,
) -> LabOutcome<Instant> {
    let mut waiter = store.watch_call(thread, id);
    let mut ready = Some(ready);
    loop {
        let call = store.call(thread, id).await?;
        if call.is_some_and(|call| call.state(store.clock().now()) == CallState::Allowed) {
            return Ok(Instant::now());
        }
        if let Some(ready) = ready.take() {
            let _ = ready.send(());
        }
        waiter.woken().await;
    }
}

/// Runs in the child process: reads numbers of calls, and for each reports when it waits and when it wakes.
pub(crate) async fn executor(address: &str) -> LabOutcome<()> {
    let store = BenchLab::open(address, StoreOptions::default()).await?.store;
    let mut calls = BufReader::new(stdin()).lines();
    while let Some(line) = calls.next_line().await? {
        let (thread, id) = (lab::thread(0)?, lab::call(line.parse()?)?);
        let (ready, is_ready) = oneshot::channel();
        let waiting = wait(&store, &thread, &id, ready);
        let report_ready = async {
            is_ready.await?;
            println!("ready");
            LabOutcome::Ok(())
        };
        tokio::try_join!(waiting, report_ready)?;
        println!("awake");
    }
    Ok(())
}

/// A separate log without triggers, in which the same rows are committed one by one.
pub(crate) struct CommitTimes {
    bare: BareLoop,
    pub(crate) commits: BenchSamples,
}

impl CommitTimes {
    pub(crate) async fn new(address: &str) -> LabOutcome<Self> {
        Ok(Self {
            bare: BareLoop::open(address).await?.without_guards().await?,
            commits: BenchSamples::default(),
        })
    }

    pub(crate) async fn commit(&mut self, events: Vec<Event>) -> LabOutcome<()> {
        let start = Instant::now();
        self.bare.insert_events(&events).await?;
        self.commits.add(start.elapsed());
        Ok(())
    }
}
