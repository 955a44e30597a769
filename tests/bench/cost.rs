//! The costs of work at a server: processor time, switches, system calls and commits for each cycle or request.

use crate::{
    cycles::median,
    lab::LabOutcome,
    load::{HttpLoad, LoadSize},
    server::BenchServer,
    system_calls::{SystemCallCounter, SystemCalls},
    usage::{ProcessUsage, UsedResources},
};
use std::time::Instant;

/// The costs of one cycle, or of one request that is not part of a cycle.
pub(crate) struct CostRow {
    /// The name in the table and in the baseline.
    pub(crate) name: String,
    pub(crate) requests: usize,
    pub(crate) cpu: f64,
    pub(crate) user: f64,
    pub(crate) switches: f64,
    pub(crate) commits: f64,
    /// The reason, if they could not be counted.
    pub(crate) system_calls: Result<SystemCalls, String>,
    pub(crate) allocations: f64,
    pub(crate) rate: f64,
}

/// The rounds of one measurement.
#[derive(Default)]
pub(crate) struct CostRounds {
    rounds: Vec<CostRound>,
    system_calls: Option<Result<SystemCalls, String>>,
    allocations: f64,
}

/// The costs of one cycle or request in one round.
struct CostRound {
    used: UsedResources,
    commits: f64,
    rate: f64,
}

impl CostRounds {
    /// Measures one round.
    pub(crate) async fn measure(
        &mut self,
        server: &BenchServer,
        load: &HttpLoad,
        size: LoadSize,
    ) -> LabOutcome<()> {
        let commits_before = commits(server).await?;
        let before = ProcessUsage::read(server.process)?;
        let start = Instant::now();
        load.run(&server.target, size).await?;
        let seconds = start.elapsed().as_secs_f64();
        let used = ProcessUsage::read(server.process)?.since(&before);
        let (units, commits) = (size.units(), commits(server).await? - commits_before);
        self.rounds.push(CostRound {
            used: UsedResources { cpu: used.cpu / units, switches: used.switches / units, ..used },
            commits: commits / units,
            rate: units / seconds,
        });
        Ok(())
    }

    /// Counts the system calls in a round of their own.
    pub(crate) async fn count_system_calls(
        &mut self,
        server: &BenchServer,
        load: &HttpLoad,
        size: LoadSize,
    ) -> LabOutcome<()> {
        let counted = match SystemCallCounter::start(server.process).await {
            Ok(counter) => {
                load.run(&server.target, size).await?;
                counter.finish().await
            }
            Err(why) => Err(why),
        };
        let each = |calls: SystemCalls| SystemCalls {
            all: calls.all / size.units(),
            syncs: calls.syncs / size.units(),
        };
        self.system_calls = Some(counted.map(each).map_err(|why| why.to_string()));
        Ok(())
    }

    /// Counts the allocations at a server that counts them.
    pub(crate) async fn count_allocations(
        &mut self,
        server: &mut BenchServer,
        load: &HttpLoad,
        size: LoadSize,
    ) -> LabOutcome<()> {
        let before = server.count_allocations().await?;
        load.run(&server.target, size).await?;
        self.allocations = (server.count_allocations().await? - before) / size.units();
        Ok(())
    }

    /// The medians of all rounds.
    pub(crate) fn row(self, name: &str, requests: usize) -> CostRow {
        let of =
            |value: fn(&CostRound) -> f64| median(&mut self.rounds.iter().map(value).collect::<Vec<_>>());
        CostRow {
            name: name.to_owned(),
            requests,
            cpu: of(|round| round.used.cpu),
            user: of(|round| round.used.cpu * (1.0 - round.used.system_share)),
            switches: of(|round| round.used.switches),
            commits: of(|round| round.commits),
            rate: of(|round| round.rate),
            allocations: self.allocations,
            system_calls: self.system_calls.unwrap_or_else(|| Err("they were not counted".into())),
        }
    }
}

async fn commits(server: &BenchServer) -> LabOutcome<f64> {
    server.metric("countersign_commit_seconds_count").await
}

/// Prints the costs as a Markdown table.
pub(crate) fn print(rows: &[CostRow]) {
    println!(
        "| at the server | CPU | user + system | CPU per request | allocations per request | switches | system calls | commits | syncs | rate |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for row in rows {
        let (cpu, user, system) = (row.cpu, row.user, row.cpu - row.user);
        #[expect(clippy::cast_precision_loss, reason = "a cycle has four requests")]
        let [request, allocations] = [cpu, row.allocations].map(|each| each / row.requests as f64);
        let (calls, syncs) = match &row.system_calls {
            Ok(calls) => (format!("{:.1}", calls.all), format!("{:.3}", calls.syncs)),
            Err(_) => ("–".to_owned(), "–".to_owned()),
        };
        println!(
            "| {} | {cpu:.1} µs | {user:.1} + {system:.1} µs | {request:.1} µs | {allocations:.0} | {:.2} | {calls} | {:.3} | {syncs} | {:.0} /s |",
            row.name, row.switches, row.commits, row.rate
        );
    }
    if let Some(Err(why)) = rows.iter().map(|row| &row.system_calls).find(|calls| calls.is_err()) {
        println!("\nSystem calls and syncs are missing: {why}.");
    }
}
