//! `countersign grant list`

use super::read::read_grants;
use crate::pages::print_list;
use countersign_api as api;
use countersign_console::{
    ColumnFit, CommandContext, CommandExit, TextTable, count_words, escape_text, format_age,
};
use countersign_events::Timestamp;

/// Options of `grant list`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"grants\": [{\"seq\", \"tool\", \"principal\", \"at\", \"toolCallId\", \"decision\": allow_session or deny, \"scope\": the scope, \"says\": the scope in words, \"level\", \"comment\", \"until\": when it ends, \"uses\", \"used\": how many calls it answers and has answered, \"end\": with --all, {\"cause\": revoked, thread_closed, expired or used_up, \"principal\", \"at\", \"seq\"}}], \"next\": null}, the oldest first"
)]
pub(crate) struct GrantListArgs {
    /// The thread
    thread: String,
    /// List also the grants that have ended: why and when
    #[arg(long)]
    all: bool,
}

pub(crate) async fn list_grants(
    context: &CommandContext,
    args: &GrantListArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let found = read_grants(&gate, &api::parse_thread_id(&args.thread)?, args.all).await?;
    let kind =
        if args.all { "never had grants" } else { "has no active grants; --all lists those that have ended" };
    let empty = format!("Thread {} {kind}.", escape_text(&args.thread));
    print_list(context, &found, &grant_table(&found, args.all, context.now()), &empty)
}

fn grant_table(found: &api::GrantPage, all: bool, now: Timestamp) -> TextTable {
    let mut columns = vec![
        ("GRANT", ColumnFit::Number),
        ("TOOL", ColumnFit::Wrapped),
        ("ANSWER", ColumnFit::Whole),
        ("SCOPE", ColumnFit::Wrapped),
        ("GIVEN BY", ColumnFit::Wrapped),
        ("WHEN", ColumnFit::Whole),
        ("ON CALL", ColumnFit::Truncated),
    ];
    columns.extend(all.then_some(("ENDED", ColumnFit::Wrapped)));
    let mut table = TextTable::new(&columns);
    for grant in &found.grants {
        let level =
            grant.level.as_ref().map_or(String::new(), |level| format!(", at level {}", escape_text(level)));
        let until = grant.until.map_or(String::new(), |until| format!(", until {until}"));
        let left = grant.uses.map_or(String::new(), |uses| {
            let left = uses.saturating_sub(grant.used.unwrap_or(0));
            format!(", {left} of {} left", count_words(uses.into(), "call"))
        });
        let mut cells = vec![
            grant.seq.to_string().into(),
            escape_text(grant.tool.as_str()).into(),
            if grant.decision.allows() { "allow" } else { "deny" }.into(),
            (escape_text(&grant.says) + &level + &until + &left).into(),
            escape_text(grant.principal.as_str()).into(),
            format_age(grant.at, now).into(),
            escape_text(grant.tool_call_id.as_str()).into(),
        ];
        cells.extend(all.then(|| grant.end.as_ref().map_or(String::new(), describe_end).into()));
        table.add_row(cells);
    }
    table
}

/// When a grant ends: its cause, its principal and its time.
fn describe_end(end: &api::GrantEnd) -> String {
    let cause = match end.cause {
        api::GrantEndCause::Revoked => "revoked",
        api::GrantEndCause::ThreadClosed => "thread closed",
        api::GrantEndCause::Expired => "expired",
        api::GrantEndCause::UsedUp => "used up",
        api::GrantEndCause::Other => "ended",
    };
    format!("{cause} by {} at {}", escape_text(end.principal.as_str()), end.at)
}
