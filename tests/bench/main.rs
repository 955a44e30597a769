//! The benchmarks. Each measurement is compared with its raw limit in the same run, because an absolute figure depends
//! on the machine more than on the program.
//!
//!     cargo bench -p countersign-tests                     runs all scenarios
//!     cargo bench -p countersign-tests -- cycles history   runs some scenarios
//!     cargo bench -p countersign-tests -- --quick          runs small sizes, to check that all scenarios work
//!     cargo bench -p countersign-tests -- --compare        compares processor time and allocations with the baseline
//!     cargo bench -p countersign-tests -- --save           writes both as the new baseline
//!
//! docs/benchmarks.md explains each line of the output.

#![expect(clippy::print_stdout, reason = "this program prints a table")]

mod advisors;
mod bare;
mod baseline;
mod client;
mod cost;
mod cycles;
mod decision;
mod fill;
mod history;
mod hook;
mod http;
mod idle;
mod instances;
mod lab;
mod load;
mod reads;
mod rows;
mod scope;
mod server;
mod session;
mod start;
mod streams;
mod system_calls;
mod table;
mod usage;
mod verdict;
mod verify;
mod waiting;
mod wakeup;

use lab::LabOutcome;
use table::ScenarioResult;

/// As the program that ships has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SCENARIOS: [&str; 17] = [
    "verdict",
    "scope",
    "wakeup",
    "rows",
    "cycles",
    "history",
    "waiting",
    "idle",
    "http",
    "reads",
    "decision",
    "advisors",
    "start",
    "streams",
    "hook",
    "verify",
    "instances",
];

/// The scenarios that measure costs at the server, which the baseline has.
const COST_SCENARIOS: [&str; 2] = ["http", "reads"];

/// The scenarios that start the program that ships.
const SERVER_SCENARIOS: [&str; 8] =
    ["http", "reads", "decision", "advisors", "start", "streams", "hook", "verify"];

fn main() -> LabOutcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match arguments.split_first() {
        Some((first, rest)) if first == "--child" => runtime.block_on(run_child(rest)),
        _ => runtime.block_on(run_all(&arguments)),
    }
}

/// Runs a scenario role, in a child process.
async fn run_child(arguments: &[String]) -> LabOutcome<()> {
    match arguments {
        [role, path] if role == "executor" => wakeup::executor(path).await,
        [role, what, many, samples] if role == "crowd" => {
            waiting::crowd(what, many.parse()?, samples.parse()?).await
        }
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
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let named: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    if let Some(unknown) = named.iter().find(|name| !SCENARIOS.contains(&name.as_str())) {
        return Err(format!("unknown scenario {unknown}; the scenarios are {}", SCENARIOS.join(", ")).into());
    }
    let is_about_costs = has("--compare") || has("--save");
    let chosen: Vec<&str> = if is_about_costs {
        COST_SCENARIOS.to_vec()
    } else {
        SCENARIOS.into_iter().filter(|name| named.is_empty() || named.iter().any(|n| n == name)).collect()
    };
    if chosen.iter().any(|name| SERVER_SCENARIOS.contains(name)) {
        server::build_program().await?;
    }
    let mut all = ScenarioResult::default();
    for name in chosen {
        let ScenarioResult { rows, costs } = run(name, has("--quick")).await?;
        all.rows.extend(rows);
        all.costs.extend(costs);
    }
    if is_about_costs {
        return if has("--save") { baseline::save(&all.costs) } else { baseline::compare(&all.costs) };
    }
    table::print(&all.rows);
    if !all.costs.is_empty() {
        println!();
        cost::print(&all.costs);
    }
    Ok(())
}

async fn run(name: &str, quick: bool) -> LabOutcome<ScenarioResult> {
    match name {
        "verdict" => verdict::run(quick).map(ScenarioResult::from),
        "scope" => scope::run(quick).await.map(ScenarioResult::from),
        "wakeup" => wakeup::run(quick).await.map(ScenarioResult::from),
        "rows" => rows::run(quick).await.map(ScenarioResult::from),
        "cycles" => cycles::run(quick).await.map(ScenarioResult::from),
        "history" => history::run(quick).await.map(ScenarioResult::from),
        "waiting" => waiting::run(quick).await.map(ScenarioResult::from),
        "idle" => idle::run(quick).await.map(ScenarioResult::from),
        "http" => http::run(quick).await,
        "reads" => reads::run(quick).await,
        "decision" => decision::run(quick).await,
        "advisors" => advisors::run(quick).await,
        "start" => start::run(quick).await,
        "streams" => streams::run(quick).await.map(ScenarioResult::from),
        "hook" => hook::run(quick).await.map(ScenarioResult::from),
        "verify" => verify::run(quick).await.map(ScenarioResult::from),
        _ => instances::run(quick).await.map(ScenarioResult::from),
    }
}
