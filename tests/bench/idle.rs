//! The processor time that an open store uses without commands.

use crate::{
    lab::{self, BenchLab, LabOutcome},
    table::BenchRow,
};
use countersign_store::StoreOptions;
use std::time::Duration;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let seconds: u16 = if quick { 1 } else { 10 };
    let found = lab::numbers("idle", &[seconds.to_string()]).await?;
    let [used] = found[..] else { return Err("the child printed no processor time".into()) };
    let share = used / f64::from(seconds) / 10.0;
    Ok(vec![BenchRow {
        what: format!("processor time of an idle store in {seconds} s"),
        measured: format!("{used:.0} ms ({share:.2} %)"),
        raw: "–".into(),
        ratio: None,
        target: "none measurable",
        met: Some(used == 0.0),
    }])
}

/// Runs in the child process: opens a store, waits, and prints the processor time in milliseconds.
pub(crate) async fn idle(seconds: u64) -> LabOutcome<()> {
    let folder = lab::folder()?;
    let lab = BenchLab::open(&lab::file(&folder, "store.db"), StoreOptions::default()).await?;
    lab.propose(&lab::thread(0)?, &lab::call(0)?).await?;
    let before = processor_time()?;
    lab::pause(Duration::from_secs(seconds)).await;
    println!("{}", processor_time()? - before);
    lab.store.close().await;
    Ok(())
}

/// Returns this process's processor time in milliseconds. It is the sum of fields 14 and 15 of `stat` in proc(5),
/// which count ticks of 10 ms.
fn processor_time() -> LabOutcome<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').ok_or("no name in stat")?.1;
    let ticks = after_name.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    Ok(ticks.sum::<Result<u64, _>>()? * 10)
}
