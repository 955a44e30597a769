//! How a long history affects the time to read the open requests and to open the file.

use crate::{
    fill,
    lab::{self, BenchLab, LabOutcome},
    table::{BenchRow, BenchSamples, ms, times},
};
use countersign_events::ThreadId;
use countersign_store::{EventFilter, Store, StoreOptions};
use std::time::{Duration, Instant};

/// The number of pending calls per thread, and the number of threads with pending calls.
const OPEN: (usize, usize) = (5, 40);

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (short, long, samples) = if quick { (100, 1_000, 10) } else { (10_000, 1_000_000, 1_000) };
    let folder = lab::folder()?;
    let (short_path, long_path) = (lab::file(&folder, "short.db"), lab::file(&folder, "long.db"));
    let mut rows =
        pages((&short_path, short), (&long_path, long), samples, (1, "≤ 1 ms; ratio ≤ 1.5")).await?;
    rows.push(measure_opening(&long_path, if quick { 3 } else { 50 }).await?);
    Ok(rows)
}

/// The maximum time to read the open requests, and the text of this target.
pub(crate) type HistoryTarget = (u64, &'static str);

/// Measures the time to read the open requests, of all threads and of one thread, after a short and a long history.
pub(crate) async fn pages(
    (short_at, short): (&str, i64),
    (long_at, long): (&str, i64),
    samples: usize,
    target: HistoryTarget,
) -> LabOutcome<Vec<BenchRow>> {
    let behind_short = create_log(short_at, short).await?;
    let behind_long = create_log(long_at, long).await?;
    let mut rows = Vec::new();
    for (what, thread) in [("a page of 100 open requests", None), ("open requests of a thread", Some(7))] {
        let thread = thread.map(lab::thread).transpose()?;
        let (mut few, mut many) = (BenchSamples::default(), BenchSamples::default());
        for _ in 0..samples {
            few.add(time_pending(&behind_short.store, thread.as_ref()).await?);
            many.add(time_pending(&behind_long.store, thread.as_ref()).await?);
        }
        rows.push(compare(what, (&few, short), (&many, long), target));
    }
    behind_short.store.close().await;
    behind_long.store.close().await;
    Ok(rows)
}

/// Creates a log with this number of finished calls, followed by pending calls.
async fn create_log(address: &str, finished: i64) -> LabOutcome<BenchLab> {
    fill::write_finished_calls(address, finished).await?;
    let lab = BenchLab::open(address, StoreOptions::default()).await?;
    for thread in 0..OPEN.1 {
        for call in 0..OPEN.0 {
            lab.propose(&lab::thread(thread)?, &lab::call(call)?).await?;
        }
    }
    Ok(lab)
}

async fn time_pending(store: &Store, thread: Option<&ThreadId>) -> LabOutcome<Duration> {
    let filter = EventFilter { thread_id: thread.cloned(), ..EventFilter::default() };
    let start = Instant::now();
    let page = store.pending(&filter, 0, 100).await?;
    let took = start.elapsed();
    let expected = if thread.is_some() { OPEN.0 } else { 100 };
    if page.items.len() == expected {
        Ok(took)
    } else {
        Err("the page has another number of open requests than expected".into())
    }
}

fn compare(
    what: &str,
    (few, short): (&BenchSamples, i64),
    (many, long): (&BenchSamples, i64),
    (allowed, target): HistoryTarget,
) -> BenchRow {
    let ratio = times(many.median(), few.median());
    BenchRow {
        what: format!("{what} after {long} finished calls, median of {}", many.count()),
        measured: format!("{} (p99 {})", ms(many.median()), ms(many.p99())),
        raw: format!("{} after {short}", ms(few.median())),
        ratio: Some(ratio),
        target,
        met: Some(many.median() <= Duration::from_millis(allowed) && ratio <= 1.5),
    }
}

async fn measure_opening(path: &str, samples: usize) -> LabOutcome<BenchRow> {
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
