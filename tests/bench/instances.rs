//! Several instances on one PostgreSQL server: cycles per second with one, two and four instances; the time until a
//! decision in one instance wakes an executor in another; reading the open requests after a long history; and ten
//! thousand waiting executors in four instances.

use crate::{
    cycles::{self, EXECUTORS, median, per_second},
    history,
    lab::{self, BenchLab, LabOutcome, OtherProcess},
    table::{BenchRow, BenchSamples, ms, times},
    wakeup,
};
use countersign_store::{EventFilter, StoreOptions};
use countersign_tests::postgres::{Cluster, ClusterSetup, Durability};
use std::{ops::Range, time::Instant};
use tokio::{
    io::{AsyncBufReadExt, BufReader, stdin},
    sync::mpsc::unbounded_channel,
};

/// Starts a server with production settings: it flushes each commit to the disk, and uses half of a small machine's
/// memory.
async fn server() -> Cluster {
    let settings = vec![("shared_buffers", "1GB".to_owned()), ("max_wal_size", "4GB".to_owned())];
    Cluster::with(ClusterSetup { durability: Durability::Real, settings, ..ClusterSetup::default() }).await
}

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let server = server().await;
    let mut rows = throughput(&server, quick).await?;
    let samples = if quick { 10 } else { 1_000 };
    let (address, bare) = (server.database("woken").await, server.database("bare").await);
    let (woken, commits) = wakeup::measure_across_processes(&address, &bare, samples).await?;
    let (middle, tail) = ((3_000, "≤ commit + 3 ms"), (10_000, "≤ commit + 10 ms"));
    rows.extend(wakeup::rows("across two instances on PostgreSQL", &woken, &commits, middle, tail));
    let (short, long) = if quick { (100, 1_000) } else { (10_000, 1_000_000) };
    let (short_at, long_at) = (server.database("short").await, server.database("long").await);
    let mut pages =
        history::pages((&short_at, short), (&long_at, long), samples, (2, "≤ 2 ms; ratio ≤ 1.5")).await?;
    for row in &mut pages {
        row.what.push_str(", on PostgreSQL");
    }
    rows.extend(pages);
    rows.push(crowds(&server, quick).await?);
    Ok(rows)
}

/// Measures the cycles per second of one, two and four instances on one log, and of two instances with a log each. Each
/// instance has the same number of executors.
async fn throughput(server: &Cluster, quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (rounds, each) = if quick { (1, 5) } else { (3, 100) };
    let (mut rows, mut raw) = (Vec::new(), None);
    for (instances, logs) in [(1, 1), (2, 1), (4, 1), (2, 2)] {
        let (mut rates, cycles) = (Vec::new(), EXECUTORS * instances * each);
        for round in 0..rounds {
            let name = |log: usize| format!("cycles_{instances}_{logs}_{round}_{log}");
            let mut addresses = Vec::new();
            for log in 0..logs {
                addresses.push(server.database(&name(log)).await);
            }
            let addresses: Vec<_> = addresses.into_iter().cycle().take(instances).collect();
            rates.push(per_second(cycles, run_together(&addresses, each).await?));
        }
        // The raw limit: one connection writes the first log's rows, in batches of the same size.
        let raw = match raw {
            Some(raw) => raw,
            None => *raw.insert(measure_bare_inserts(server, cycles, rounds).await?),
        };
        let measured = median(&mut rates);
        let of = if logs == 1 { "on one log" } else { "with a log each" };
        rows.push(BenchRow {
            what: format!(
                "whole cycles with {EXECUTORS} executors in each of {instances} instances on PostgreSQL, {of}, median of {rounds} × {cycles}"
            ),
            measured: format!("{measured:.0} /s (best {:.0})", rates.last().copied().unwrap_or_default()),
            raw: format!("{raw:.0} /s, bare inserts of one connection"),
            ratio: Some(measured / raw),
            target: "–",
            met: None,
        });
    }
    Ok(rows)
}

async fn measure_bare_inserts(server: &Cluster, cycles: usize, rounds: usize) -> LabOutcome<f64> {
    let lab = BenchLab::open(&server.url_as("postgres", "cycles_1_1_0_0"), StoreOptions::default()).await?;
    let events = lab.store.events(&EventFilter::default(), 0, usize::MAX).await?.items;
    lab.store.close().await;
    let mut rates = Vec::new();
    for round in 0..rounds {
        let address = server.database(&format!("bare_{round}")).await;
        rates.push(per_second(cycles, cycles::insert_in_loop(&address, &events).await?));
    }
    Ok(median(&mut rates))
}

async fn run_together(addresses: &[String], each: usize) -> LabOutcome<f64> {
    let mut others = Vec::new();
    for (n, address) in addresses.iter().enumerate() {
        let (from, to) = (n * EXECUTORS, (n + 1) * EXECUTORS);
        let arguments = [address.clone(), from.to_string(), to.to_string(), each.to_string()];
        let mut other = OtherProcess::start("instance", &arguments)?;
        other.expect_line("ready").await?;
        others.push(other);
    }
    let start = Instant::now();
    for other in &mut others {
        other.send_line("go").await?;
    }
    for other in &mut others {
        other.expect_line("done").await?;
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Runs in the child process: runs cycles on command.
pub(crate) async fn instance(address: &str, executors: Range<usize>, each: usize) -> LabOutcome<()> {
    let lab = BenchLab::open(address, StoreOptions::default()).await?;
    println!("ready");
    BufReader::new(stdin()).lines().next_line().await?;
    cycles::run_all(&lab, executors, each).await?;
    println!("done");
    lab.store.close().await;
    Ok(())
}

/// Measures the time to wake one of many executors, compared with one of few, in four instances.
async fn crowds(server: &Cluster, quick: bool) -> LabOutcome<BenchRow> {
    let (many, samples) = if quick { (100, 10) } else { (10_000, 500) };
    let few = crowd(&server.database("few").await, 4, samples).await?;
    let crowd = crowd(&server.database("many").await, many, samples).await?;
    let ratio = times(crowd.median(), few.median());
    Ok(BenchRow {
        what: format!("waking one of {many} executors over 4 instances on PostgreSQL, median of {samples}"),
        measured: format!("{} (p99 {})", ms(crowd.median()), ms(crowd.p99())),
        raw: format!("{} (p99 {}), one of 4", ms(few.median()), ms(few.p99())),
        ratio: Some(ratio),
        target: "ratio ≤ 2",
        met: Some(ratio <= 2.0),
    })
}

async fn crowd(address: &str, many: usize, samples: usize) -> LabOutcome<BenchSamples> {
    let lab = BenchLab::open(address, StoreOptions::default()).await?;
    let (share, mut others) = (many / 4, Vec::new());
    for n in 0..4 {
        let arguments = [address.to_owned(), (n * share).to_string(), ((n + 1) * share).to_string()];
        let mut other = OtherProcess::start("waiters", &arguments)?;
        other.expect_line("ready").await?;
        others.push(other);
    }
    let mut took = BenchSamples::default();
    for sample in 0..samples {
        // Each sample wakes another executor, whose number is far from the last one.
        let n = sample * 7_919 % many;
        let start = Instant::now();
        lab.propose(&lab::thread(n)?, &lab::call(sample / many)?).await?;
        let other = others.get_mut(n / share).ok_or("there is no instance for this executor")?;
        other.expect_line(&n.to_string()).await?;
        took.add(start.elapsed());
    }
    lab.store.close().await;
    Ok(took)
}

/// Runs in the child process: executors wait, each for the calls of its thread in order, and report when they wake.
pub(crate) async fn waiters(address: &str, numbers: Range<usize>) -> LabOutcome<()> {
    let lab = BenchLab::open(address, StoreOptions::default()).await?;
    let (awake, mut woken) = unbounded_channel();
    for n in numbers {
        let (store, awake, thread) = (lab.store.clone(), awake.clone(), lab::thread(n)?);
        let mut waiter = store.watch_call(&thread, &lab::call(0)?);
        tokio::spawn(async move {
            for next in 1.. {
                waiter.woken().await;
                waiter = store.watch_call(&thread, &lab::call(next)?);
                awake.send(n)?;
            }
            LabOutcome::Ok(())
        });
    }
    println!("ready");
    let mut end = BufReader::new(stdin()).lines();
    loop {
        tokio::select! {
            Some(n) = woken.recv() => println!("{n}"),
            _ = end.next_line() => return Ok(()),
        }
    }
}
