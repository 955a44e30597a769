//! What it costs to tell people how far each answer would reach: that is looked up whenever they look.

use crate::{
    lab::{self, BenchLab, LabOutcome},
    table::{BenchRow, BenchSamples, ms, times},
};
use countersign_api::{ApprovalGate, LogFilter, PageQuery};
use countersign_gate::EmbeddedGate;
use countersign_store::{EventFilter, StoreOptions};
use std::time::{Duration, Instant};

/// How many calls wait, how many threads have them, and how many calls each of those has seen.
const WAITING: usize = 100;
const THREADS: [usize; 2] = [1, 20];
const SEEN: usize = 1_000;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (seen, samples) = if quick { (WAITING, 3) } else { (SEEN, 30) };
    let mut rows = Vec::new();
    for threads in THREADS {
        rows.push(page(threads, seen, samples).await?);
    }
    Ok(rows)
}

async fn page(threads: usize, seen: usize, samples: usize) -> LabOutcome<BenchRow> {
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
    let (mut plain, mut informed) = (BenchSamples::default(), BenchSamples::default());
    for _ in 0..samples {
        let start = Instant::now();
        let found = lab.store.pending(&EventFilter::default(), 0, WAITING).await?.items.len();
        plain.add(start.elapsed());
        let start = Instant::now();
        let told = gate.pending(&LogFilter::default(), page).await?.pending;
        informed.add(start.elapsed());
        let all = told.iter().filter_map(|call| call.request.as_ref());
        if (found, all.filter(|request| request.scopes.len() == 3).count()) != (WAITING, WAITING) {
            return Err("not what waits, with three widths each".into());
        }
    }
    gate.shut_down().await;
    lab.store.close().await;
    Ok(BenchRow {
        what: format!("{WAITING} that wait in {threads} threads of {seen} calls, and how far answers reach"),
        measured: ms(informed.median()),
        raw: format!("{} (without that)", ms(plain.median())),
        ratio: Some(times(informed.median(), plain.median())),
        target: "≤ 100 ms",
        met: Some(informed.median() <= Duration::from_millis(100)),
    })
}
