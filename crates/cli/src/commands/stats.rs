//! `countersign stats`

use crate::{
    args::Args,
    exit::Exit,
    filters::Span,
    output::{self, visible},
    progress::Progress,
    screen::{Screen, Style},
    table::{Cell, Fit, Table},
    target,
};
use countersign_api as api;

/// Of which time.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"since\", \"until\", \"total\": counts, \"bySource\": {source: number}, \"tools\": [{\"tool\", and counts}]}, where \
counts are \"calls\", \"asked\", \"allowed\", \"denied\", \"expired\", \"cancelled\", \"abandoned\", \"waiting\", \"ran\", \
\"failed\", \"timeToDecide\": {\"medianMs\", \"p90Ms\", \"p99Ms\", \"maxMs\"}")]
pub(crate) struct Stats {
    #[command(flatten)]
    span: Span,
}

pub(crate) async fn stats(args: &Args, wish: &Stats) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let mut progress = Progress::of(args, "events");
    let stats = gate.stats(&wish.span.filter()?, &mut |done, of| progress.at(done, of)).await?;
    progress.clear();
    if args.json {
        output::say(&serde_json::to_string(&stats)?);
        return Ok(Exit::DONE);
    }
    if stats.total.calls == 0 {
        output::say("No calls were proposed then.");
        return Ok(Exit::DONE);
    }
    let screen = Screen::of(args);
    output::say(&as_table(&stats).lay_out(&screen));
    for line in summary(&stats) {
        output::say(&line);
    }
    Ok(Exit::DONE)
}

fn as_table(stats: &api::CallStatistics) -> Table {
    let mut table = Table::new(&[
        ("TOOL", Fit::Cut),
        ("CALLS", Fit::Number),
        ("ASKED", Fit::Number),
        ("ALLOWED", Fit::Number),
        ("DENIED", Fit::Number),
        ("LEFT", Fit::Number),
        ("FAILED", Fit::Number),
        ("MEDIAN", Fit::Number),
    ]);
    for tool in &stats.tools {
        table.row(row(visible(&tool.tool).into(), &tool.counts));
    }
    if stats.tools.len() > 1 {
        table.row(row(Cell::styled(Style::Bold, "all"), &stats.total));
    }
    table
}

fn row(name: Cell, counts: &api::CallCounts) -> [Cell; 8] {
    let number = |style: Style, number: u64| {
        if number == 0 { Cell::styled(Style::Dim, "0") } else { Cell::styled(style, number.to_string()) }
    };
    let median = counts.time_to_decide.map_or("–".to_owned(), |spread| millis(spread.median_ms));
    [
        name,
        number(Style::Plain, counts.calls),
        number(Style::Plain, counts.asked),
        number(Style::Green, counts.allowed),
        number(Style::Red, counts.denied),
        number(Style::Yellow, counts.abandoned),
        number(Style::Red, counts.failed),
        median.into(),
    ]
}

fn summary(stats: &api::CallStatistics) -> Vec<String> {
    let total = &stats.total;
    let mut lines = vec![String::new()];
    let sources: Vec<_> =
        stats.by_source.iter().map(|(source, number)| format!("{source} {number}")).collect();
    lines.push(format!(
        "Decided by: {}",
        if sources.is_empty() { "nobody yet".to_owned() } else { sources.join(", ") }
    ));
    if let Some(spread) = total.time_to_decide {
        let [median, p90, p99, max] =
            [spread.median_ms, spread.p90_ms, spread.p99_ms, spread.max_ms].map(millis);
        lines.push(format!(
            "People decided within {median} (median), {p90} (9 of 10), {p99} (99 of 100), {max} (all)."
        ));
    }
    if total.waiting > 0 {
        lines.push(format!("Waiting now: {}.", total.waiting));
    }
    if total.abandoned > 0 {
        lines.push(format!(
            "Left undecided, though people were asked: {}. Lapsed: {}. Withdrawn before a decision: {}.",
            total.abandoned, total.expired, total.cancelled
        ));
    }
    lines
}

/// A span, as short as it can be said.
fn millis(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis}ms"),
        1_000..10_000 => format!("{}.{}s", millis / 1_000, millis % 1_000 / 100),
        _ => output::span(millis / 1_000),
    }
}
