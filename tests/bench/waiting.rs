//! Many waiters in one process: the memory per waiter, and how late the woken waiter is.

use crate::{
    lab::{self, BenchLab, LabOutcome},
    table::{BenchRow, BenchSamples},
};
use countersign_store::{EventFilter, StoreOptions, SyncMode};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

const FEW: usize = 10;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let mut rows = Vec::new();
    for (what, one, many) in [("executors", "waiting executor", 10_000), ("streams", "stream", 2_000)] {
        let (many, samples) = if quick { (many / 100, 10) } else { (many, 500) };
        let ask = |crowd: usize| vec![what.to_owned(), crowd.to_string(), samples.to_string()];
        let few = WaiterCrowd::read(&lab::numbers("crowd", &ask(FEW)).await?)?;
        let crowd = WaiterCrowd::read(&lab::numbers("crowd", &ask(many)).await?)?;
        rows.push(BenchRow {
            what: format!("memory per {one}, of {many}"),
            measured: format!("{:.1} KiB", crowd.bytes / 1_024.0),
            raw: "–".into(),
            ratio: None,
            target: "aim ≤ 5 KiB",
            met: Some(crowd.bytes <= 5.0 * 1_024.0),
        });
        let ratio = crowd.median / few.median;
        rows.push(BenchRow {
            what: format!("waking one of {many} {what}, median of {samples}"),
            measured: format!("{:.3} ms (p99 {:.3} ms)", crowd.median, crowd.p99),
            raw: format!("{:.3} ms (p99 {:.3} ms), one of {FEW}", few.median, few.p99),
            ratio: Some(ratio),
            target: "ratio ≤ 2",
            met: Some(ratio <= 2.0),
        });
    }
    Ok(rows)
}

/// The child process' output: bytes per waiter, then durations in milliseconds.
struct WaiterCrowd {
    bytes: f64,
    median: f64,
    p99: f64,
}

impl WaiterCrowd {
    fn read(numbers: &[f64]) -> LabOutcome<Self> {
        match *numbers {
            [bytes, median, p99] => Ok(Self { bytes, median, p99 }),
            _ => Err(format!("the child printed {numbers:?} instead of three numbers").into()),
        }
    }
}

/// Runs in the child process, so that the memory contains only the waiters. Commits do not wait for the disk, because
/// that wait would hide the measured time.
pub(crate) async fn crowd(what: &str, many: usize, samples: usize) -> LabOutcome<()> {
    let folder = lab::folder()?;
    let options = StoreOptions { synchronous: SyncMode::Normal, ..StoreOptions::default() };
    let lab = BenchLab::open(&lab::file(&folder, "store.db"), options).await?;
    lab.propose(&lab::thread(many)?, &lab::call(0)?).await?;
    let (awake, mut woken) = unbounded_channel();
    let (before, tip) = (lab::resident("self")?, lab.store.tip().await?);
    for n in 0..many {
        let (lab, awake) = (lab.clone(), awake.clone());
        match what {
            "executors" => tokio::spawn(execute(lab, n, awake)),
            _ => tokio::spawn(follow(lab, n, tip, awake)),
        };
    }
    for _ in 0..many {
        woken.recv().await.ok_or("all waiters have ended")?;
    }
    let bytes = lab::resident("self")?.saturating_sub(before) / many;
    let mut took = BenchSamples::default();
    for sample in 0..samples {
        // Each sample wakes another waiter, whose number is far from the last one. Each waiter wakes once before any
        // wakes twice.
        let n = sample * 7_919 % many;
        let start = Instant::now();
        let done = lab.propose(&lab::thread(n)?, &lab::call(sample / many)?).await?;
        // A proposal writes two events. An executor wakes once for both; a follower receives each of them.
        let wakes = if what == "executors" { 1 } else { done.events.len() };
        for wake in 0..wakes {
            let (who, at) = woken.recv().await.ok_or("all waiters have ended")?;
            if who != n {
                return Err(format!("{who} was woken for {n}").into());
            }
            if wake == 0 {
                took.add(at.duration_since(start));
            }
        }
    }
    let ms = |duration: Duration| duration.as_secs_f64() * 1_000.0;
    println!("{bytes} {} {}", ms(took.median()), ms(took.p99()));
    Ok(())
}

type WakeTiming = UnboundedSender<(usize, Instant)>;

/// Waits for the calls of thread `n` in order. Reports when it waits, and each time it wakes.
async fn execute(lab: BenchLab, n: usize, awake: WakeTiming) -> LabOutcome<()> {
    let thread = lab::thread(n)?;
    let mut waiter = lab.store.watch_call(&thread, &lab::call(0)?);
    lab.store.call(&thread, &lab::call(0)?).await?;
    awake.send((n, Instant::now()))?;
    for next in 1.. {
        waiter.woken().await;
        let at = Instant::now();
        waiter = lab.store.watch_call(&thread, &lab::call(next)?);
        awake.send((n, at))?;
    }
    Ok(())
}

/// Follows thread `n`. Reports when it follows, and each event.
async fn follow(lab: BenchLab, n: usize, tip: i64, awake: WakeTiming) -> LabOutcome<()> {
    let mut follower = lab.store.follow(EventFilter::of_thread(&lab::thread(n)?), tip);
    follower.next_at_hand().await?;
    awake.send((n, Instant::now()))?;
    loop {
        follower.next().await?;
        awake.send((n, Instant::now()))?;
    }
}
