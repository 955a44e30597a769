//! The benchmarks. Each measurement is compared with its raw limit in the same run, because an absolute figure depends
//! on the machine more than on the program.
//!
//!     cargo bench -p countersign-tests                     runs all scenarios
//!     cargo bench -p countersign-tests -- cycles history   runs some scenarios
//!     cargo bench -p countersign-tests -- --quick          runs small sizes, to check that all scenarios work
//!
//! docs/benchmarks.md explains each line of the output.

#![expect(clippy::print_stdout, reason = "this program prints a table")]

mod bare;
mod client;
mod cycles;
mod fill;
mod history;
mod http;
mod idle;
mod instances;
mod lab;
mod scope;
mod streams;
mod table;
mod verdict;
mod waiting;
mod wakeup;

use lab::LabOutcome;
use table::BenchRow;

const SCENARIOS: [&str; 9] =
    ["verdict", "scope", "wakeup", "cycles", "history", "waiting", "idle", "http", "instances"];

fn main() -> LabOutcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match arguments.split_first() {
        Some((first, rest)) if first == "--child" => runtime.block_on(run_child(rest)),
        _ => runtime.block_on(run_all(&arguments)),
    }
}

/// Runs a role of a scenario, in a child process.
async fn run_child(arguments: &[String]) -> LabOutcome<()> {
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
        _ => Err(format!("unknown role of a child process: {arguments:?}").into()),
    }
}

async fn run_all(arguments: &[String]) -> LabOutcome<()> {
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let named: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    if let Some(unknown) = named.iter().find(|name| !SCENARIOS.contains(&name.as_str())) {
        return Err(format!("unknown scenario {unknown}; the scenarios are {}", SCENARIOS.join(", ")).into());
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
        "scope" => scope::run(quick).await,
        "wakeup" => wakeup::run(quick).await,
        "cycles" => cycles::run(quick).await,
        "history" => history::run(quick).await,
        "waiting" => waiting::run(quick).await,
        "idle" => idle::run(quick).await,
        "http" => http::run(quick).await,
        _ => instances::run(quick).await,
    }
}
