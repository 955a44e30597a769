//! `countersign policy replay`

use crate::commands::policy::{
    logged_calls::{LoggedCallArgs, for_each_call},
    replay_recorded::replay_recorded,
    replayed_call::{basis_word, describe_now, describe_then, report_damaged},
    source::PolicySource,
};
use countersign_console::{
    CliError, ColumnFit, CommandContext, CommandExit, ScreenFormat, TableCell, TextStyle, TextTable,
    count_words, escape_text, print_json, print_line, summarize_arguments, verdict_style, verdict_word,
};
use countersign_events::Basis;
use countersign_gate::ReadLimits;
use countersign_replay as replay;
use countersign_replay::{ListedCalls, ReplayReport};

/// Options of `policy replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It changes nothing. It judges each call of the log by the policy from --policy or the settings, or else by the policy \
active now, and compares the verdicts with those of their time. A call that a grant, a mode or the policy of a thread answered does not count as a prompt.

With --recorded, it judges each call by the policy that was active when the call was proposed, and lists the calls \
whose recorded verdict does not come out again, with the reason that the policy gives now.

JSON: {\"policy\", \"calls\": how many could be compared, \"masked\", \"unsettled\", \"then\" and \"now\": {\"asked\", \
\"allowed\", \"blocked\", \"answered\"}, \"unchanged\", \"saved\": {\"allowed\", \"blocked\"}, \"added\", \
\"allowedThoughDenied\", \"blockedThoughRun\", \"askedThoughRun\" and \"askedOtherwise\": {\"count\", \"calls\": the first 1000, each with \
\"seq\", \"threadId\", \"id\", \"name\", \"arguments\", \"then\" and \"now\"}, \"rules\" and \"shadow\": [{\"rule\", \
\"basis\", \"verdict\", \"calls\"}]}; with --recorded {\"calls\", \"policies\", \"masked\", \"unsettled\", \"unreadable\", \
\"unchanged\", \"differing\": {\"count\", \"calls\", each also with \"policyEvent\"}}")]
pub(crate) struct PolicyReplayArgs {
    #[command(flatten)]
    which: LoggedCallArgs,
    /// Judge each call by the policy of its time, which the log records
    #[arg(long)]
    recorded: bool,
    /// The number of calls to show in each list
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

pub(crate) async fn replay_policy(
    context: &CommandContext,
    args: &PolicyReplayArgs,
) -> anyhow::Result<CommandExit> {
    if args.recorded && context.options.policy.is_some() {
        return Err(CliError::usage("--recorded uses the policies of the log: remove --policy").into());
    }
    let gate = context.connect_to_read().await?;
    if args.recorded {
        return replay_recorded(context, &gate, &args.which, args.limit).await;
    }
    let meant = PolicySource::from_settings_or_log(context, &gate).await?;
    let name = meant.name().to_owned();
    let mut replay = replay::PolicyReplay::new(meant.policy);
    let damaged = for_each_call(context, &gate, &args.which, ReadLimits::NONE, |call| {
        replay.replay_call(call, &|| false);
    })
    .await?
    .damaged;
    let report = replay.report();
    if context.json {
        print_json(&report)?;
    } else {
        say(&report, &name, args.limit, &context.screen());
    }
    report_damaged(damaged);
    Ok(CommandExit::DONE)
}

fn say(report: &ReplayReport, name: &str, limit: usize, screen: &ScreenFormat) {
    if report.calls + report.masked == 0 {
        print_line("No calls were proposed in this time.");
        return;
    }
    let calls = count_words(report.calls, "call");
    print_line(&format!("{calls}, judged by {}:\n", escape_text(name)));
    print_line(&ways(report).format(screen));
    print_line(&format!("\n{}", summarize_replay(report)));
    for (listed, title) in danger_lists(report) {
        list(listed, title, limit, screen);
    }
    print_line(&format!("\n{}", rules(report).format(screen)));
}

/// The lists of calls with another outcome, the most dangerous first.
fn danger_lists(report: &ReplayReport) -> [(&ListedCalls, &'static str); 4] {
    [
        (&report.allowed_though_denied, "Would now be allowed, but was denied, expired or changed"),
        (&report.blocked_though_run, "Would now be blocked, but ran"),
        (&report.asked_though_run, "Would now be asked, but ran without asking"),
        (&report.asked_otherwise, "Would now be asked under other terms"),
    ]
}

/// The numbers of calls with another outcome, one line for each kind.
pub(super) fn describe_dangers(report: &ReplayReport) -> Vec<String> {
    let lists = danger_lists(report).into_iter().filter(|(listed, _)| listed.count > 0);
    lists.map(|(listed, title)| format!("{title}: {}", listed.count)).collect()
}

fn ways(report: &ReplayReport) -> TextTable {
    let mut table =
        TextTable::new(&[("", ColumnFit::Whole), ("THEN", ColumnFit::Number), ("NOW", ColumnFit::Number)]);
    let (then, now) = (&report.then, &report.now);
    let rows = [
        ("people asked", then.asked, now.asked),
        ("allowed by the policy", then.allowed, now.allowed),
        ("blocked by the policy", then.blocked, now.blocked),
        ("answered by the thread", then.answered, now.answered),
    ];
    for (what, then, now) in rows {
        let style = if then == now { TextStyle::Plain } else { TextStyle::Bold };
        table.add_row([what.into(), then.to_string().into(), TableCell::styled(style, now.to_string())]);
    }
    table
}

/// The numbers of changes in one or two lines.
pub(super) fn summarize_replay(report: &ReplayReport) -> String {
    if !report.has_differences() {
        return format!("No verdict changes.{}", left_out(report));
    }
    let saved = report.saved.allowed + report.saved.blocked;
    let how = match saved {
        0 => String::new(),
        _ => format!(" ({} allowed, {} blocked)", report.saved.allowed, report.saved.blocked),
    };
    format!(
        "{} saved{how}, {} added; {} of {} have another outcome.{}",
        count_words(saved, "prompt"),
        report.added,
        report.calls - report.unchanged,
        count_words(report.calls, "call"),
        left_out(report)
    )
}

fn left_out(report: &ReplayReport) -> String {
    let reasons = [
        (report.masked, ", because the policy may depend on masked or erased values"),
        (report.unsettled, " without an answer"),
    ];
    let told = reasons.into_iter().filter(|(number, _)| *number > 0);
    told.map(|(number, why)| format!("\nNot compared: {}{why}.", count_words(number, "call")))
        .collect::<Vec<_>>()
        .concat()
}

fn list(listed: &ListedCalls, title: &str, limit: usize, screen: &ScreenFormat) {
    if listed.count == 0 {
        return;
    }
    print_line(&format!("\n{}", screen.paint(TextStyle::Bold, &format!("{title}: {}", listed.count))));
    let mut table = TextTable::new(&[
        ("SEQ", ColumnFit::Number),
        ("THREAD", ColumnFit::Truncated),
        ("ID", ColumnFit::Whole),
        ("TOOL", ColumnFit::Whole),
        ("THEN", ColumnFit::Wrapped),
        ("NOW", ColumnFit::Wrapped),
        ("ARGUMENTS", ColumnFit::Truncated),
    ]);
    for case in listed.calls.iter().take(limit) {
        table.add_row([
            case.seq.to_string().into(),
            escape_text(case.thread_id.as_str()).into(),
            escape_text(case.id.as_str()).into(),
            escape_text(case.name.as_str()).into(),
            describe_then(case).into(),
            TableCell::styled(verdict_style(case.now.verdict), describe_now(case)),
            summarize_arguments(&case.arguments).into(),
        ]);
    }
    print_line(&table.format(screen));
    let shown = limit.min(listed.calls.len()) as u64;
    if listed.count > shown {
        print_line(&format!("… and {} more: -n shows more, --json up to 1000.", listed.count - shown));
    }
}

fn rules(report: &ReplayReport) -> TextTable {
    let mut table = TextTable::new(&[
        ("RULE", ColumnFit::Wrapped),
        ("VERDICT", ColumnFit::Whole),
        ("CALLS", ColumnFit::Number),
    ]);
    for row in &report.rules {
        let name = row
            .rule
            .as_ref()
            .map_or_else(|| basis_word(row.basis.unwrap_or(Basis::Default)), |rule| escape_text(rule));
        let says = TableCell::styled(verdict_style(row.verdict), verdict_word(row.verdict));
        table.add_row([name.into(), says, row.calls.to_string().into()]);
    }
    for row in &report.shadow {
        let name = row.rule.as_ref().map_or(String::new(), |rule| escape_text(rule));
        let says = TableCell::styled(TextStyle::Dim, format!("shadow: {}", verdict_word(row.verdict)));
        table.add_row([name.into(), says, row.calls.to_string().into()]);
    }
    table
}
