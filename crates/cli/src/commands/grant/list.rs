//! `countersign grant list`

use super::read::read_grants;
use crate::{
    context::CommandContext,
    exit::CommandExit,
    present::table::{ColumnFit, TextTable},
};
use countersign_api as api;
use countersign_gate::Timestamp;
use countersign_tui::present::{
    print::{print_json, print_line},
    text::{escape_text, format_age},
};

/// Options of `grant list`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"grants\": [{\"seq\", \"tool\", \"principal\", \"at\", \"toolCallId\", \"decision\": allow_session or deny, \"scope\": the scope, \"says\": the scope in words, \"level\", \"comment\"}], \"next\": null}, the oldest first"
)]
pub(crate) struct GrantListArgs {
    /// The thread
    thread: String,
}

pub(crate) async fn list_grants(
    context: &CommandContext,
    args: &GrantListArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let found = read_grants(&gate, &countersign_api::parse_thread_id(&args.thread)?).await?;
    if context.json {
        print_json(&found)?;
    } else if found.grants.is_empty() {
        print_line(&format!("Thread {} has no grants.", escape_text(&args.thread)));
    } else {
        print_line(&grant_table(&found, context.now()).format(&context.screen()));
    }
    Ok(CommandExit::DONE)
}

fn grant_table(found: &api::GrantPage, now: Timestamp) -> TextTable {
    let mut table = TextTable::new(&[
        ("GRANT", ColumnFit::Number),
        ("TOOL", ColumnFit::Wrapped),
        ("ANSWER", ColumnFit::Whole),
        ("SCOPE", ColumnFit::Wrapped),
        ("GIVEN BY", ColumnFit::Wrapped),
        ("WHEN", ColumnFit::Whole),
        ("ON CALL", ColumnFit::Truncated),
    ]);
    for grant in &found.grants {
        let level =
            grant.level.as_ref().map_or(String::new(), |level| format!(", at level {}", escape_text(level)));
        table.add_row([
            grant.seq.to_string().into(),
            escape_text(grant.tool.as_str()).into(),
            if grant.decision.allows() { "allow" } else { "deny" }.into(),
            (escape_text(&grant.says) + &level).into(),
            escape_text(grant.principal.as_str()).into(),
            format_age(grant.at, now).into(),
            escape_text(grant.tool_call_id.as_str()).into(),
        ]);
    }
    table
}
