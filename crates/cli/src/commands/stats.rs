//! `countersign stats`

use crate::filters::TimeRangeArgs;
use countersign_api as api;
use countersign_console::{
    ColumnFit, CommandContext, CommandExit, TableCell, TextStyle, TextTable, describe_empty_log, escape_text,
    format_duration, print_json, print_line,
};

/// Options of `stats`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"since\", \"until\", \"total\": counts, \"bySource\": {source: number}, \"tools\": [{\"tool\", and counts}], \
\"rules\": [{\"rule\", \"basis\", \"verdict\", \"calls\"}], with --days \"days\": [{\"date\", and counts}], with --touched \"touched\": [{\"kind\", \"access\", \"target\", \"calls\"}]}, where counts are \"calls\", \"asked\", \"answeredByAdvisors\", \"askedAllowed\", \"allowed\", \"denied\", \"expired\", \"cancelled\", \"abandoned\", \"waiting\", \"ran\", \
\"failed\", \"timeToDecide\": {\"medianMs\", \"p90Ms\", \"p99Ms\", \"maxMs\"}, \"decisionTimes\": {milliseconds: number}")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    span: TimeRangeArgs,
    /// Show each day instead of each tool, in UTC, or at an offset of N minutes east of it
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "0", allow_hyphen_values = true)]
    days: Option<api::UtcOffset>,
    /// Show what the calls touched: files, hosts, branches and others, what most calls touched first
    #[arg(long, conflicts_with = "days")]
    touched: bool,
}

pub(crate) async fn print_stats(context: &CommandContext, args: &StatsArgs) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let mut progress = context.progress("events");
    let span = args.span.filter()?;
    let query = api::StatisticsQuery {
        since: span.since,
        until: span.until,
        days_at: args.days,
        touched: args.touched,
        after: 0,
    };
    let mut end = None;
    let stats = api::count_all_calls(&*gate, &query, &mut |from| {
        let end = *end.get_or_insert(from);
        progress.update(end - from, end);
    })
    .await?;
    progress.clear();
    if context.json {
        print_json(&stats)?;
        return Ok(CommandExit::DONE);
    }
    if stats.total.calls == 0 {
        let empty = describe_empty_log(context, &*gate).await?;
        print_line(empty.as_deref().unwrap_or("No calls were proposed in this time."));
        return Ok(CommandExit::DONE);
    }
    let screen = context.screen();
    if let Some(touched) = &stats.touched {
        print_line(&touched_table(touched).format(&screen));
        return Ok(CommandExit::DONE);
    }
    print_line(&as_table(&stats).format(&screen));
    for line in summary(&stats) {
        print_line(&line);
    }
    Ok(CommandExit::DONE)
}

fn as_table(stats: &api::CallStatistics) -> TextTable {
    let by_day = stats.days.as_ref();
    let mut table = TextTable::new(&[
        (if by_day.is_some() { "DAY" } else { "TOOL" }, ColumnFit::Truncated),
        ("CALLS", ColumnFit::Number),
        ("ASKED", ColumnFit::Number),
        ("ALLOWED", ColumnFit::Number),
        ("DENIED", ColumnFit::Number),
        ("NOT DECIDED", ColumnFit::Number),
        ("FAILED", ColumnFit::Number),
        ("MEDIAN", ColumnFit::Number),
    ]);
    for day in by_day.into_iter().flatten() {
        table.add_row(row(day.date.clone().into(), &day.counts));
    }
    for tool in stats.tools.iter().filter(|_| by_day.is_none()) {
        table.add_row(row(escape_text(&tool.tool).into(), &tool.counts));
    }
    if by_day.map_or(stats.tools.len(), Vec::len) > 1 {
        table.add_row(row(TableCell::styled(TextStyle::Bold, "all"), &stats.total));
    }
    table
}

fn touched_table(touched: &[api::TouchedThing]) -> TextTable {
    let mut table = TextTable::new(&[
        ("KIND", ColumnFit::Whole),
        ("ACCESS", ColumnFit::Whole),
        ("CALLS", ColumnFit::Number),
        ("THING", ColumnFit::Wrapped),
    ]);
    for api::TouchedThing { kind, access, target, calls } in touched {
        let access = access.as_deref().map_or("–".to_owned(), escape_text);
        table.add_row([
            escape_text(kind).into(),
            access.into(),
            calls.to_string().into(),
            escape_text(target).into(),
        ]);
    }
    table
}

fn row(name: TableCell, counts: &api::CallCounts) -> [TableCell; 8] {
    let number = |style: TextStyle, number: u64| {
        if number == 0 {
            TableCell::styled(TextStyle::Dim, "0")
        } else {
            TableCell::styled(style, number.to_string())
        }
    };
    let median = counts.time_to_decide.map_or("–".to_owned(), |spread| millis(spread.median_ms));
    [
        name,
        number(TextStyle::Plain, counts.calls),
        number(TextStyle::Plain, counts.asked),
        number(TextStyle::Green, counts.allowed),
        number(TextStyle::Red, counts.denied),
        number(TextStyle::Yellow, counts.not_decided),
        number(TextStyle::Red, counts.failed),
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
        if sources.is_empty() { "no decisions yet".to_owned() } else { sources.join(", ") }
    ));
    if let Some(spread) = total.time_to_decide {
        let [median, p90, p99, max] =
            [spread.median_ms, spread.p90_ms, spread.p99_ms, spread.max_ms].map(millis);
        lines
            .push(format!("Time to decide: {median} (median), {p90} (90 %), {p99} (99 %), {max} (maximum)."));
    }
    if total.waiting > 0 {
        lines.push(format!("Pending: {}.", total.waiting));
    }
    if total.abandoned > 0 {
        lines.push(format!(
            "Not decided by people: {}. Expired: {}. Cancelled before a decision: {}.",
            total.abandoned, total.expired, total.cancelled
        ));
    }
    lines
}

/// A short duration.
fn millis(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis}ms"),
        1_000..10_000 => format!("{}.{}s", millis / 1_000, millis % 1_000 / 100),
        _ => format_duration(millis / 1_000),
    }
}
