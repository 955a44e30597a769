//! The time of listing pending calls with the facts that approvers need.

use crate::{
    lab::{self, BenchLab, LabOutcome},
    table::{BenchRow, BenchSamples, ms, times},
};
use countersign_api::{ApprovalGate, LogFilter, PageQuery};
use countersign_gate::EmbeddedGate;
use countersign_store::{EventFilter, StoreOptions};
use std::time::{Duration, Instant};

/// The number of pending calls.
const WAITING: usize = 100;
/// The numbers of threads that contain the pending calls.
const THREADS: [usize; 2] = [1, 20];
/// The number of calls in each thread.
const SEEN: usize = 1_000;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (seen, samples) = if quick { (WAITING, 3) } else { (SEEN, 30) };
    let mut rows = Vec::new();
    for threads in THREADS {
        rows.push(measure_page(threads, seen, samples).await?);
    }
    Ok(rows)
}

async fn measure_page(threads: usize, seen: usize, samples: usize) -> LabOutcome<BenchRow> {
    let folder = lab::folder()?;
    let path = lab::file(&folder, "log.db");
    let lab = BenchLab::open(&path, StoreOptions::default()).await?;
    for thread in 0..threads {
        let name = lab::thread(thread)?;
        for call in 0..seen {
            let id = lab::call(thread * seen + call)?;
            lab.propose(&name, &id).await?;
            if call >= WAITING / threads {
                lab.allow(&name, &id).await?;
            }
        }
    }
    let gate = EmbeddedGate::open(countersign_store::DatabaseUrl::parse(&path)?).await?;
    let page = PageQuery { after: 0, limit: WAITING };
    let (mut plain, mut previewed) = (BenchSamples::default(), BenchSamples::default());
    for _ in 0..samples {
        let start = Instant::now();
        let found = lab.store.pending(&EventFilter::default(), 0, WAITING).await?.items.len();
        plain.add(start.elapsed());
        let start = Instant::now();
        let listed = gate.pending(&LogFilter::default(), page).await?.pending;
        previewed.add(start.elapsed());
        let all = listed.iter().filter_map(|call| call.request.as_ref());
        if (found, all.filter(|request| request.scopes.len() == 3).count()) != (WAITING, WAITING) {
            return Err(format!("expected {WAITING} pending calls with three scopes each").into());
        }
    }
    gate.shut_down().await;
    lab.store.close().await;
    let in_threads = if threads == 1 { "one thread".to_owned() } else { format!("{threads} threads") };
    Ok(BenchRow {
        what: format!(
            "{WAITING} pending calls in {in_threads} of {seen} calls, with offered scopes, median of {samples}"
        ),
        measured: ms(previewed.median()),
        raw: format!("{}, from the store", ms(plain.median())),
        ratio: Some(times(previewed.median(), plain.median())),
        target: "≤ 100 ms",
        met: Some(previewed.median() <= Duration::from_millis(100)),
    })
}
