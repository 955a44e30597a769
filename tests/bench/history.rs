//! What a long history costs those who ask what is open now, and who open the file.

use crate::{
    fill,
    lab::{self, BenchLab, LabOutcome},
    table::{BenchRow, BenchSamples, ms, times},
};
use countersign_events::ThreadId;
use countersign_store::{EventFilter, Store, StoreOptions};
use std::time::{Duration, Instant};

/// How many calls wait for people in each thread that has any, and how many such threads there are.
const OPEN: (usize, usize) = (5, 40);

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (short, long, samples) = if quick { (100, 1_000, 10) } else { (10_000, 1_000_000, 1_000) };
    let folder = lab::folder()?;
    let (short_path, long_path) = (lab::file(&folder, "short.db"), lab::file(&folder, "long.db"));
    let mut rows =
        pages((&short_path, short), (&long_path, long), samples, (1, "≤ 1 ms; ratio ≤ 1.5")).await?;
    rows.push(opening(&long_path, if quick { 3 } else { 50 }).await?);
    Ok(rows)
}

/// How long what is open takes to read, and how that is said.
pub(crate) type HistoryTarget = (u64, &'static str);

/// What is open, in all threads and in one, behind a short history and behind a long one.
pub(crate) async fn pages(
    (short_at, short): (&str, i64),
    (long_at, long): (&str, i64),
    samples: usize,
    target: HistoryTarget,
) -> LabOutcome<Vec<BenchRow>> {
    let behind_short = make(short_at, short).await?;
    let behind_long = make(long_at, long).await?;
    let mut rows = Vec::new();
    for (what, thread) in [("a page of 100 open requests", None), ("what is open in a thread", Some(7))] {
        let thread = thread.map(lab::thread).transpose()?;
        let (mut few, mut many) = (BenchSamples::default(), BenchSamples::default());
        for _ in 0..samples {
            few.add(ask(&behind_short.store, thread.as_ref()).await?);
            many.add(ask(&behind_long.store, thread.as_ref()).await?);
        }
        rows.push(compare(what, (&few, short), (&many, long), target));
    }
    behind_short.store.close().await;
    behind_long.store.close().await;
    Ok(rows)
}

/// A log with that many finished calls, and then some that wait.
async fn make(address: &str, finished: i64) -> LabOutcome<BenchLab> {
    fill::finished_calls(address, finished).await?;
    let lab = BenchLab::open(address, StoreOptions::default()).await?;
    for thread in 0..OPEN.1 {
        for call in 0..OPEN.0 {
            lab.propose(&lab::thread(thread)?, &lab::call(call)?).await?;
        }
    }
    Ok(lab)
}

async fn ask(store: &Store, thread: Option<&ThreadId>) -> LabOutcome<Duration> {
    let filter = EventFilter { thread_id: thread.cloned(), ..EventFilter::default() };
    let start = Instant::now();
    let page = store.pending(&filter, 0, 100).await?;
    let took = start.elapsed();
    let expected = if thread.is_some() { OPEN.0 } else { 100 };
    if page.items.len() == expected { Ok(took) } else { Err("not what is open".into()) }
}

fn compare(
    what: &str,
    (few, short): (&BenchSamples, i64),
    (many, long): (&BenchSamples, i64),
    (allowed, target): HistoryTarget,
) -> BenchRow {
    let ratio = times(many.median(), few.median());
    BenchRow {
        what: format!("{what}, {long} finished calls behind, median of {}", many.count()),
        measured: format!("{} (p99 {})", ms(many.median()), ms(many.p99())),
        raw: format!("{} with {short} behind", ms(few.median())),
        ratio: Some(ratio),
        target,
        met: Some(many.median() <= Duration::from_millis(allowed) && ratio <= 1.5),
    }
}

async fn opening(path: &str, samples: usize) -> LabOutcome<BenchRow> {
    let (mut took, mut tip) = (BenchSamples::default(), 0);
    for _ in 0..samples {
        let start = Instant::now();
        let store = Store::open(path, StoreOptions::default()).await?;
        took.add(start.elapsed());
        tip = store.tip().await?;
        store.close().await;
    }
    Ok(BenchRow {
        what: format!("opening a file of {tip} events, median of {samples}"),
        measured: format!("{} (p99 {})", ms(took.median()), ms(took.p99())),
        raw: "–".into(),
        ratio: None,
        target: "< 100 ms",
        met: Some(took.p99() < Duration::from_millis(100)),
    })
}
