//! The number of cycles per second (propose, decide, claim, finish) with 64 concurrent executors, compared with a loop
//! that inserts the same rows in batches of the same size.

use crate::{
    bare::BareLoop,
    lab::{self, BenchLab, LabOutcome},
    table::BenchRow,
};
use countersign_events::Event;
use countersign_store::{EventFilter, StoreOptions};
use std::{ops::Range, time::Instant};
use tokio::task::JoinSet;

pub(crate) const EXECUTORS: usize = 64;

/// The average number of rows in a full batch. A cycle writes five rows with four commands.
const ROWS_PER_BATCH: usize = EXECUTORS * 5 / 4;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (rounds, each) = if quick { (1, 5) } else { (5, 200) };
    let cycles = EXECUTORS * each;
    let (mut store_rates, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        // The rounds alternate, so that other load on the machine affects both.
        let folder = lab::folder()?;
        let (seconds, events) = store(&lab::file(&folder, "store.db"), 0..EXECUTORS, each).await?;
        store_rates.push(per_second(cycles, seconds));
        bare.push(per_second(cycles, insert_in_loop(&lab::file(&folder, "bare.db"), &events).await?));
    }
    let (measured, raw) = (median(&mut store_rates), median(&mut bare));
    let best = store_rates.last().copied().unwrap_or_default();
    Ok(vec![BenchRow {
        what: format!("whole cycles with {EXECUTORS} executors, median of {rounds} × {cycles}"),
        measured: format!("{measured:.0} /s (best {best:.0})"),
        raw: format!("{raw:.0} /s, bare inserts"),
        ratio: Some(measured / raw),
        target: "≥ 4,000 /s, aim 6,000; ratio ≥ 0.5",
        met: Some(measured >= 4_000.0 && measured / raw >= 0.5),
    }])
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

#[expect(clippy::cast_precision_loss, reason = "thousands")]
pub(crate) fn per_second(cycles: usize, seconds: f64) -> f64 {
    cycles as f64 / seconds
}

/// Returns the median. Sorts the rates, so that the best is last.
pub(crate) fn median(rates: &mut [f64]) -> f64 {
    rates.sort_unstable_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}
