//! `countersign policy replay --recorded`: judges each call by the policy of its time.

use super::{
    logged_calls::{LoggedCallArgs, for_each_call},
    recorded_policy::for_each_policy,
    replayed_call::{describe_now, describe_then, report_damaged},
};
use countersign_api::SharedGate;
use countersign_console::{
    ColumnFit, CommandContext, CommandExit, ScreenFormat, TableCell, TextTable, count_words, escape_text,
    print_json, print_line, summarize_arguments, verdict_style,
};
use countersign_gate::ReadLimits;
use countersign_replay::{ListedCalls, PolicyTimeline, RecordedReplay, RecordedReplayReport};

pub(super) async fn replay_recorded(
    context: &CommandContext,
    gate: &SharedGate,
    which: &LoggedCallArgs,
    limit: usize,
) -> anyhow::Result<CommandExit> {
    let mut timeline = PolicyTimeline::default();
    for_each_policy(gate, |policy| {
        timeline.add_policy(policy.seq, policy.hash, || policy.parse().ok());
    })
    .await?;
    let mut replay = RecordedReplay::new(timeline);
    let damaged =
        for_each_call(context, gate, which, ReadLimits::NONE, |call| replay.replay_call(call, &|| false))
            .await?
            .damaged;
    let report = replay.report();
    if context.json {
        print_json(&report)?;
    } else {
        print_report(&report, limit, &context.screen());
    }
    report_damaged(damaged);
    Ok(CommandExit::DONE)
}

fn print_report(report: &RecordedReplayReport, limit: usize, screen: &ScreenFormat) {
    if report.calls + report.masked + report.unreadable == 0 {
        print_line("No calls were proposed in this time.");
        return;
    }
    let policies = match report.policies {
        1 => "1 policy".to_owned(),
        number => format!("{number} policies"),
    };
    let calls = count_words(report.calls, "call");
    print_line(&format!(
        "{calls}, each judged by the policy that was active when it was proposed ({policies})."
    ));
    match report.differing.count {
        0 if report.calls > 0 => print_line("Every recorded verdict comes out again."),
        0 => {}
        number => {
            print_line(&format!("\nWith another verdict than the recorded one: {number}"));
            print_differing(&report.differing, limit, screen);
        }
    }
    let left_out = [
        (report.masked, ", because the policy may depend on masked or erased values"),
        (report.unsettled, " without an answer"),
        (report.unreadable, ", because the log has no policy for them that this version can read"),
    ];
    for (number, why) in left_out.into_iter().filter(|(number, _)| *number > 0) {
        print_line(&format!("Not compared: {}{why}.", count_words(number, "call")));
    }
}

fn print_differing(listed: &ListedCalls, limit: usize, screen: &ScreenFormat) {
    let mut table = TextTable::new(&[
        ("SEQ", ColumnFit::Number),
        ("POLICY", ColumnFit::Number),
        ("THREAD", ColumnFit::Truncated),
        ("ID", ColumnFit::Whole),
        ("TOOL", ColumnFit::Whole),
        ("THEN", ColumnFit::Wrapped),
        ("NOW", ColumnFit::Wrapped),
        ("REASON NOW", ColumnFit::Wrapped),
        ("ARGUMENTS", ColumnFit::Truncated),
    ]);
    for case in listed.calls.iter().take(limit) {
        table.add_row([
            case.seq.to_string().into(),
            case.policy_event.map_or_else(String::new, |event| event.to_string()).into(),
            escape_text(case.thread_id.as_str()).into(),
            escape_text(case.id.as_str()).into(),
            escape_text(case.name.as_str()).into(),
            describe_then(case).into(),
            TableCell::styled(verdict_style(case.now.verdict), describe_now(case)),
            escape_text(&case.now.reason).into(),
            summarize_arguments(&case.arguments).into(),
        ]);
    }
    print_line(&table.format(screen));
    let shown = limit.min(listed.calls.len()) as u64;
    if listed.count > shown {
        print_line(&format!("… and {} more: -n shows more, --json up to 1000.", listed.count - shown));
    }
    print_line("\nPOLICY is the event of the policy: countersign policy show --seq N");
}
