//! The processor time of a row: inserted into the schema that ships, and into a table with the same columns and nothing else.

use crate::{
    bare::BareLoop,
    lab::{self, BenchLab, LabOutcome},
    table::BenchRow,
    usage::ProcessUsage,
};
use countersign_events::Event;
use countersign_store::{EventFilter, StoreOptions};
use rustix::process::getpid;
use std::path::PathBuf;

/// The batches' sizes: under load, and of one proposal.
const BATCHES: [usize; 2] = [64, 2];

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (calls, rounds) = if quick { (20, 1) } else { (10_000, 5) };
    let folder = lab::folder()?;
    let events = write_log(&lab::file(&folder, "source.db"), calls).await?;
    let mut rows = Vec::new();
    for batch in BATCHES {
        let (mut shipped, mut plain) = (f64::INFINITY, f64::INFINITY);
        for round in 0..rounds {
            let file = |name: &str| lab::file(&folder, &format!("{name}-{batch}-{round}.db"));
            let table = BareLoop::open_plain(&PathBuf::from(file("plain"))).await?;
            plain = plain.min(measure_insertion(table, &events, batch).await?);
            let log = BareLoop::open(&file("shipped")).await?;
            shipped = shipped.min(measure_insertion(log, &events, batch).await?);
        }
        rows.push(BenchRow {
            what: format!("a row, in batches of {batch}, best of {rounds} rounds"),
            measured: format!("{shipped:.1} µs of CPU"),
            raw: format!("{plain:.1} µs, a plain table"),
            ratio: Some(shipped / plain),
            target: "ratio ≤ 7",
            met: Some(shipped <= 7.0 * plain),
        });
    }
    Ok(rows)
}

/// Writes calls that were allowed and ran, and returns their events.
async fn write_log(path: &str, calls: usize) -> LabOutcome<Vec<Event>> {
    let lab = BenchLab::open(path, StoreOptions::default()).await?;
    for number in 0..calls {
        let (thread, call) = (lab::thread(number / 20)?, lab::call(number)?);
        lab.propose(&thread, &call).await?;
        lab.allow(&thread, &call).await?;
        lab.execute(&thread, &call).await?;
    }
    let mut events = Vec::new();
    let mut after = Some(0);
    while let Some(from) = after {
        let page = lab.store.events(&EventFilter::default(), from, 1_000).await?;
        events.extend(page.items);
        after = page.next;
    }
    lab.store.close().await;
    Ok(events)
}

/// Returns the microseconds of processor time of each row.
#[expect(clippy::cast_precision_loss, reason = "thousands")]
async fn measure_insertion(mut target: BareLoop, events: &[Event], batch: usize) -> LabOutcome<f64> {
    let before = ProcessUsage::read(getpid())?;
    for rows in events.chunks(batch) {
        target.insert_bound(rows).await?;
    }
    Ok(ProcessUsage::read(getpid())?.since(&before).cpu / events.len() as f64)
}
