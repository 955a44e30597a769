//! What an advisor costs proposals: the rate, and the server's processor time for each proposal until its advice is
//! recorded, compared with the same proposals without an advisor.

use crate::{
    cycles::median,
    lab::{self, LabOutcome},
    load::{HttpLoad, LoadSize},
    server::{BenchServer, run_command},
    table::{BenchRow, ScenarioResult},
    usage::ProcessUsage,
};
use countersign_tests::{TargetAnswer, WebhookTarget};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The advisor's modes. The first is the raw limit.
const MODES: [&str; 3] = ["no", "shadow", "deciding"];

/// A server with one of the modes, and its rounds.
struct AdvisedServer {
    mode: &'static str,
    server: BenchServer,
    /// Removed with its log at the end.
    _folder: TempDir,
    proposals: usize,
    rates: Vec<f64>,
    costs: Vec<f64>,
}

pub(crate) async fn run(quick: bool) -> LabOutcome<ScenarioResult> {
    // An advisor leaves questions to people when more than 1,000 wait.
    let (rounds, size) =
        (if quick { 1 } else { 7 }, LoadSize { connections: 8, each: if quick { 5 } else { 100 } });
    let target = start_target().await?;
    let mut servers = Vec::new();
    for mode in MODES {
        let mut advised = AdvisedServer::start(mode, &target).await?;
        // The first proposals prepare the database's statements.
        advised.propose(LoadSize { each: 2, ..size }).await?;
        servers.push(advised);
    }
    for _ in 0..rounds {
        for advised in &mut servers {
            let (rate, cost) = advised.propose(size).await?;
            advised.rates.push(rate);
            advised.costs.push(cost);
        }
    }
    let mut rows = Vec::new();
    let mut raw = None;
    for mut advised in servers {
        let (rate, cost) = (median(&mut advised.rates), median(&mut advised.costs));
        rows.extend(raw.map(|raw| describe(advised.mode, (rate, cost), raw)).into_iter().flatten());
        raw = raw.or(Some((rate, cost)));
        advised.server.stop().await?;
    }
    Ok(rows.into())
}

/// Starts an advisor that answers at once, in a thread of its own, and returns its address.
async fn start_target() -> LabOutcome<String> {
    let (tell, told) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let mut target =
                WebhookTarget::start(|_, _| TargetAnswer::Json(r#"{"advice":"deny"}"#.to_owned())).await;
            let _ = tell.send(target.url());
            loop {
                target.receives().await;
            }
        });
    });
    Ok(told.await?)
}

impl AdvisedServer {
    async fn start(mode: &'static str, url: &str) -> LabOutcome<Self> {
        let folder = lab::folder()?;
        let advisor = |keys: &str| {
            format!(
                "[[advisor]]\nname = \"bench\"\nurl = \"{url}\"\nallowPrivate = true\ncache = \"0s\"\nconcurrency = 64\n{keys}\n"
            )
        };
        let rule =
            "[[rule]]\nname = \"advised\"\ntool = \"bash\"\nverdict = \"advised\"\nadvisor = \"bench\"\n";
        let policy = match mode {
            "shadow" => advisor(""),
            "deciding" => format!("{}{rule}", advisor("mode = \"decide\"")),
            _ => String::new(),
        };
        let server = BenchServer::start_with_policy(&folder, &policy).await?;
        if mode == "deciding" {
            let words = ["advisor", "allow-decide", "bench", "--statement", "a benchmark"];
            run_command(&folder, &words).await?;
        }
        Ok(Self { mode, server, _folder: folder, proposals: 0, rates: Vec::new(), costs: Vec::new() })
    }

    /// Proposes calls, and waits until each question about them is answered. Returns the proposals per second, and the processor time for
    /// each in microseconds.
    async fn propose(&mut self, size: LoadSize) -> LabOutcome<(f64, f64)> {
        let load = HttpLoad::ProposalsInOneThread { first: self.proposals };
        self.proposals += size.connections * size.each;
        let before = ProcessUsage::read(self.server.process)?;
        let start = Instant::now();
        load.run(&self.server.target, size).await?;
        let rate = size.units() / start.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "thousands")]
        let expected = if self.mode == "no" { 0.0 } else { self.proposals as f64 };
        while self.server.metric_sum("countersign_advisor_answers_total").await? < expected {
            lab::pause(Duration::from_millis(10)).await;
        }
        let cost = ProcessUsage::read(self.server.process)?.since(&before).cpu / size.units();
        Ok((rate, cost))
    }
}

fn describe(mode: &str, (rate, cost): (f64, f64), (raw_rate, raw_cost): (f64, f64)) -> [BenchRow; 2] {
    let row = |what: &str, measured, raw, ratio| BenchRow {
        what: format!("{what} with a {mode} advisor"),
        measured,
        raw,
        ratio: Some(ratio),
        target: "–",
        met: None,
    };
    [
        row("proposals", format!("{rate:.0} /s"), format!("{raw_rate:.0} /s, without"), rate / raw_rate),
        row(
            "CPU of the server per proposal",
            format!("{cost:.0} µs"),
            format!("{raw_cost:.0} µs, without"),
            cost / raw_cost,
        ),
    ]
}
