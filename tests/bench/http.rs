//! Whole cycles over HTTP at the program that ships: what a cycle costs the server, and the rate compared with the same
//! cycles without HTTP.

use crate::{
    cost::{CostRounds, CostRow},
    cycles::{self, EXECUTORS, median, per_second},
    lab::{self, LabOutcome},
    load::{HttpLoad, LoadSize, REQUESTS},
    server::BenchServer,
    table::{BenchRow, ScenarioResult},
};

/// The most processor time of one cycle, in microseconds.
const TARGET: [(usize, f64, &str); 2] =
    [(EXECUTORS, 220.0, "≤ 220 µs of CPU"), (1, 900.0, "≤ 900 µs of CPU; ≤ 80 system calls")];

pub(crate) async fn run(quick: bool) -> LabOutcome<ScenarioResult> {
    let (rounds, each) = if quick { (1, 5) } else { (5, 200) };
    let mut result = ScenarioResult::default();
    let mut embedded = Vec::new();
    for _ in 0..rounds {
        let path = lab::folder()?;
        let (seconds, _) = cycles::store(&lab::file(&path, "embedded.db"), 0..EXECUTORS, each).await?;
        embedded.push(per_second(EXECUTORS * each, seconds));
    }
    let embedded = median(&mut embedded);
    for (connections, most, target) in TARGET {
        // One client has to wait for each commit, so fewer cycles take as long.
        let each = if connections == 1 { each * 5 } else { each };
        let cost = measure(connections, each, rounds).await?;
        let rate = (connections == EXECUTORS).then_some((embedded, "without HTTP"));
        result.rows.push(row(&cost, rate, (cost.cpu <= most, target)));
        result.costs.push(cost);
    }
    Ok(result)
}

/// Measures the cycles of this many clients, each round at a new server with a new log.
async fn measure(connections: usize, each: usize, rounds: usize) -> LabOutcome<CostRow> {
    let mut costs = CostRounds::default();
    // The first cycles prepare the database's statements.
    let (warm_up, size) = (LoadSize { connections, each: 2 }, LoadSize { connections, each });
    let load = HttpLoad::Cycles { first: warm_up.each };
    for _ in 0..rounds {
        let folder = lab::folder()?;
        let server = BenchServer::start(&folder).await?;
        HttpLoad::Cycles { first: 0 }.run(&server.target, warm_up).await?;
        costs.measure(&server, &load, size).await?;
        server.stop().await?;
    }
    let folder = lab::folder()?;
    let server = BenchServer::start(&folder).await?;
    HttpLoad::Cycles { first: 0 }.run(&server.target, warm_up).await?;
    let few = LoadSize { each: each.div_ceil(4), ..size };
    costs.count_system_calls(&server, &load, few).await?;
    server.stop().await?;
    let folder = lab::folder()?;
    let mut server = BenchServer::start_counted(&folder).await?;
    HttpLoad::Cycles { first: 0 }.run(&server.target, warm_up).await?;
    costs.count_allocations(&mut server, &load, few).await?;
    server.stop().await?;
    Ok(costs.row(&cost_name(connections), REQUESTS))
}

fn cost_name(connections: usize) -> String {
    format!("cycle, {connections} {}", if connections == 1 { "connection" } else { "connections" })
}

fn row(cost: &CostRow, raw: Option<(f64, &str)>, (met, target): (bool, &'static str)) -> BenchRow {
    BenchRow {
        what: format!("whole cycles over HTTP, {}", cost.name.trim_start_matches("cycle, ")),
        measured: format!("{:.0} µs of CPU, {:.0} /s", cost.cpu, cost.rate),
        raw: raw.map_or_else(|| "–".to_owned(), |(rate, name)| format!("{rate:.0} /s, {name}")),
        ratio: raw.map(|(rate, _)| cost.rate / rate),
        target,
        met: Some(met),
    }
}
