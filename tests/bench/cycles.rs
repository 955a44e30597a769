//! The number of cycles per second (propose, decide, claim, finish) with 64 concurrent executors, compared with loops
//! that insert the same rows in batches of the same size: into a log, and into a table without triggers and indexes.

use crate::{
    bare::BareLoop,
    lab::{self, BenchLab, LabOutcome},
    table::BenchRow,
};
use countersign_events::Event;
use countersign_store::{EventFilter, StoreOptions};
use std::{ops::Range, path::Path, time::Instant};
use tokio::task::JoinSet;

pub(crate) const EXECUTORS: usize = 64;

/// The average number of rows in a full batch. A cycle writes five rows with four commands.
const ROWS_PER_BATCH: usize = EXECUTORS * 5 / 4;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (rounds, each) = if quick { (1, 5) } else { (5, 200) };
    let cycles = EXECUTORS * each;
    let [mut rates, mut in_log, mut in_table] = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        // The rounds alternate, so that other load on the machine affects all.
        let folder = lab::folder()?;
        let (seconds, events) = store(&lab::file(&folder, "store.db"), 0..EXECUTORS, each).await?;
        rates.push(per_second(cycles, seconds));
        in_log.push(per_second(cycles, insert_in_loop(&lab::file(&folder, "bare.db"), &events).await?));
        in_table.push(per_second(cycles, insert_in_table(&folder.path().join("plain.db"), &events).await?));
    }
    let [measured, in_log, in_table] = [&mut rates, &mut in_log, &mut in_table].map(|all| median(all));
    let best = rates.last().copied().unwrap_or_default();
    let row = |raw: f64, name, target, met| BenchRow {
        what: format!("whole cycles with {EXECUTORS} executors, median of {rounds} × {cycles}"),
        measured: format!("{measured:.0} /s (best {best:.0})"),
        raw: format!("{raw:.0} /s, {name}"),
        ratio: Some(measured / raw),
        target,
        met: Some(met),
    };
    Ok(vec![
        row(in_log, "bare inserts into a log", "≥ 6,000 /s", measured >= 6_000.0),
        row(in_table, "bare inserts into a plain table", "ratio ≥ 0.5", measured / in_table >= 0.5),
    ])
}

pub(crate) async fn store(
    address: &str,
    executors: Range<usize>,
    each: usize,
) -> LabOutcome<(f64, Vec<Event>)> {
    let lab = BenchLab::open(address, StoreOptions::default()).await?;
    let start = Instant::now();
    run_all(&lab, executors, each).await?;
    let seconds = start.elapsed().as_secs_f64();
    let events = lab.store.events(&EventFilter::default(), 0, usize::MAX).await?.items;
    lab.store.close().await;
    Ok((seconds, events))
}

/// Runs the executors with these numbers concurrently. Each runs `each` cycles in its own thread of calls.
pub(crate) async fn run_all(lab: &BenchLab, numbers: Range<usize>, each: usize) -> LabOutcome<()> {
    let mut executors = JoinSet::new();
    for n in numbers {
        let lab = lab.clone();
        executors.spawn(async move {
            let thread = lab::thread(n)?;
            for n in 0..each {
                let id = lab::call(n)?;
                lab.propose(&thread, &id).await?;
                lab.allow(&thread, &id).await?;
                lab.execute(&thread, &id).await?;
            }
            LabOutcome::Ok(())
        });
    }
    while let Some(done) = executors.join_next().await {
        done??;
    }
    Ok(())
}

pub(crate) async fn insert_in_loop(address: &str, events: &[Event]) -> LabOutcome<f64> {
    let mut bare = BareLoop::open(address).await?;
    let start = Instant::now();
    for batch in events.chunks(ROWS_PER_BATCH) {
        bare.insert_events(batch).await?;
    }
    Ok(start.elapsed().as_secs_f64())
}

async fn insert_in_table(path: &Path, events: &[Event]) -> LabOutcome<f64> {
    let mut bare = BareLoop::open_plain(path).await?;
    let start = Instant::now();
    for batch in events.chunks(ROWS_PER_BATCH) {
        bare.insert_bound(batch).await?;
    }
    Ok(start.elapsed().as_secs_f64())
}

#[expect(clippy::cast_precision_loss, reason = "thousands")]
pub(crate) fn per_second(cycles: usize, seconds: f64) -> f64 {
    cycles as f64 / seconds
}

/// Returns the median. Sorts the rates, so that the best is last.
pub(crate) fn median(rates: &mut [f64]) -> f64 {
    rates.sort_unstable_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}
