//! The cost of requests that read, compared with a request that does nothing.

use crate::{
    client::BenchClient,
    cost::{CostRounds, CostRow},
    cycles::EXECUTORS,
    lab::{self, LabOutcome},
    load::{HttpLoad, LoadSize, RepeatedGet, call_path},
    server::BenchServer,
    table::{BenchRow, ScenarioResult},
};

/// The number of pending calls of the thread, all newer than its finished calls.
const PENDING: usize = 100;

/// A request, the number of its repetitions relative to the others, and the most microseconds of processor time beyond
/// a request that does nothing.
struct ReadScenario {
    name: &'static str,
    path: String,
    is_cached: bool,
    share: usize,
    target: Option<(f64, &'static str)>,
}

pub(crate) async fn run(quick: bool) -> LabOutcome<ScenarioResult> {
    let (rounds, finished, each) = if quick { (1, 64, 3) } else { (3, 960, 40) };
    let folder = lab::folder()?;
    let server = BenchServer::start(&folder).await?;
    write_calls(&server, finished).await?;
    let counted_folder = lab::folder()?;
    let mut counted = BenchServer::start_counted(&counted_folder).await?;
    write_calls(&counted, finished).await?;
    let mut costs: Vec<CostRow> = Vec::new();
    let mut rows = Vec::new();
    for scenario in scenarios(finished) {
        let cost = measure(&server, &mut counted, &scenario, each * scenario.share, rounds).await?;
        rows.extend(costs.first().map(|nothing| row(&scenario, &cost, nothing)));
        costs.push(cost);
    }
    counted.stop().await?;
    server.stop().await?;
    Ok(ScenarioResult { rows, costs })
}

/// Writes one thread with finished and pending calls.
async fn write_calls(server: &BenchServer, finished: usize) -> LabOutcome<()> {
    let size = LoadSize { connections: EXECUTORS, each: finished / EXECUTORS };
    HttpLoad::CyclesInOneThread.run(&server.target, size).await?;
    let size = LoadSize { connections: 1, each: PENDING };
    HttpLoad::ProposalsInOneThread { first: finished }.run(&server.target, size).await
}

fn scenarios(finished: usize) -> Vec<ReadScenario> {
    let (one_call, page) = (Some((20.0, "≤ 20 µs more")), Some((1_200.0, "≤ 1.2 ms more")));
    let scenario = |name, path, share, target| ReadScenario { name, path, is_cached: false, share, target };
    let pending = "/v1/approvals/pending";
    vec![
        scenario("GET /healthz", "/healthz".to_owned(), 20, None),
        scenario("GET of a pending call", call_path(0, finished), 8, one_call),
        scenario("GET of a finished call", call_path(0, 0), 8, one_call),
        scenario("a page of 1 pending call", format!("{pending}?limit=1"), 8, None),
        scenario("a page of 100 pending calls", format!("{pending}?limit=100"), 1, page),
        ReadScenario {
            is_cached: true,
            ..scenario("304 for a pending call", call_path(0, finished), 8, None)
        },
        ReadScenario {
            is_cached: true,
            ..scenario("304 for a page of 100 pending calls", format!("{pending}?limit=100"), 8, None)
        },
    ]
}

async fn measure(
    server: &BenchServer,
    counted: &mut BenchServer,
    scenario: &ReadScenario,
    each: usize,
    rounds: usize,
) -> LabOutcome<CostRow> {
    let mut client = BenchClient::connect(&server.target).await?;
    let tag = client.get(&scenario.path).await?.tag.filter(|_| scenario.is_cached);
    let load = HttpLoad::Get(RepeatedGet {
        path: scenario.path.as_str().into(),
        tag: tag.map(|tag| tag.as_str().into()),
    });
    let size = LoadSize { connections: EXECUTORS, each };
    let few = LoadSize { each: each.div_ceil(10), ..size };
    let mut costs = CostRounds::default();
    load.run(&server.target, few).await?;
    for _ in 0..rounds {
        costs.measure(server, &load, size).await?;
    }
    costs.count_system_calls(server, &load, few).await?;
    load.run(&counted.target, few).await?;
    costs.count_allocations(counted, &load, few).await?;
    Ok(costs.row(scenario.name, 1))
}

fn row(scenario: &ReadScenario, cost: &CostRow, nothing: &CostRow) -> BenchRow {
    BenchRow {
        what: scenario.name.to_owned(),
        measured: format!("{:.1} µs of CPU, {:.0} /s", cost.cpu, cost.rate),
        raw: format!("{:.1} µs, {:.0} /s, GET /healthz", nothing.cpu, nothing.rate),
        ratio: Some(cost.cpu / nothing.cpu),
        target: scenario.target.map_or("–", |(_, text)| text),
        met: scenario.target.map(|(most, _)| cost.cpu - nothing.cpu <= most),
    }
}
