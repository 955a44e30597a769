//! How fast it is, beside how fast this machine can be: every line is measured together with its raw
//! limit, because a number alone says more of the machine than of the program.
//!
//!     cargo bench -p countersign-tests                     all of it
//!     cargo bench -p countersign-tests -- cycles history   some of it
//!     cargo bench -p countersign-tests -- --quick          small sizes, to see that it runs
//!
//! docs/benchmarks.md says what each line means.

#![expect(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

mod bare;
mod client;
mod cycles;
mod fill;
mod history;
mod http;
mod idle;
mod instances;
mod lab;
mod reach;
mod streams;
mod table;
mod verdict;
mod waiting;
mod wakeup;

use lab::LabOutcome;
use table::BenchRow;

const SCENARIOS: [&str; 9] =
    ["verdict", "reach", "wakeup", "cycles", "history", "waiting", "idle", "http", "instances"];

fn main() -> LabOutcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match arguments.split_first() {
        Some((first, rest)) if first == "--child" => runtime.block_on(play(rest)),
        _ => runtime.block_on(run_all(&arguments)),
    }
}

/// A part of a scenario in a process of its own.
async fn play(arguments: &[String]) -> LabOutcome<()> {
    match arguments {
        [role, path] if role == "executor" => wakeup::executor(path).await,
        [role, what, many, samples] if role == "crowd" => {
            waiting::crowd(what, many.parse()?, samples.parse()?).await
        }
        [role, path, synchronous] if role == "server" => client::serve(path, synchronous).await,
        [role, address, from, to, each] if role == "instance" => {
            instances::instance(address, from.parse()?..to.parse()?, each.parse()?).await
        }
        [role, address, from, to] if role == "waiters" => {
            instances::waiters(address, from.parse()?..to.parse()?).await
        }
        [role, seconds] if role == "idle" => idle::idle(seconds.parse()?).await,
        _ => Err(format!("no such part: {arguments:?}").into()),
    }
}

async fn run_all(arguments: &[String]) -> LabOutcome<()> {
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let named: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    if let Some(unknown) = named.iter().find(|name| !SCENARIOS.contains(&name.as_str())) {
        return Err(format!("no scenario {unknown}; there are {}", SCENARIOS.join(", ")).into());
    }
    let mut rows = Vec::new();
    for name in SCENARIOS.iter().filter(|name| named.is_empty() || named.iter().any(|n| n == *name)) {
        rows.extend(run(name, quick).await?);
    }
    table::print(&rows);
    Ok(())
}

async fn run(name: &str, quick: bool) -> LabOutcome<Vec<BenchRow>> {
    match name {
        "verdict" => verdict::run(quick),
        "reach" => reach::run(quick).await,
        "wakeup" => wakeup::run(quick).await,
        "cycles" => cycles::run(quick).await,
        "history" => history::run(quick).await,
        "waiting" => waiting::run(quick).await,
        "idle" => idle::run(quick).await,
        "http" => http::run(quick).await,
        _ => instances::run(quick).await,
    }
}
