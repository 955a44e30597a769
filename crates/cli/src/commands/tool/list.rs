//! `countersign tool list`

use crate::pages::{print_list, read_pages};
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{
    ColumnFit, CommandContext, CommandExit, TextTable, describe_likeness, escape_text, format_age,
};
use countersign_events::Timestamp;

/// Options of `tool list`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"tools\": [{\"name\", \"seq\", \"changed\", \"definitions\": their number, \"acceptedHash\", \"changedHash\", \"changedAt\", \"lookAlikes\": [{\"name\", \"likeness\": sameLook, oneEdit or sameTool}]}], \"next\": null}, the oldest first"
)]
pub(crate) struct ToolListArgs {
    /// List only tools whose definition has changed and was not accepted
    #[arg(long)]
    changed: bool,
}

pub(super) async fn list_tools(context: &CommandContext, args: &ToolListArgs) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let mut all = api::ToolPage { tools: Vec::new(), next: None };
    read_pages(0, async |page| {
        let found = gate.send(operations::ListTools { query: page }).await?;
        all.tools.extend(found.tools.into_iter().filter(|tool| tool.changed || !args.changed));
        Ok(found.next)
    })
    .await?;
    let empty = if args.changed { "No tool has changed." } else { "No tools." };
    print_list(context, &all, &tool_table(&all.tools, context.now()), empty)
}

fn tool_table(tools: &[api::KnownTool], now: Timestamp) -> TextTable {
    let mut table = TextTable::new(&[
        ("TOOL", ColumnFit::Wrapped),
        ("DEFINITION", ColumnFit::Wrapped),
        ("LOOKS LIKE", ColumnFit::Wrapped),
    ]);
    for tool in tools {
        let changed = tool.changed_at.map(|at| format!("changed {}", format_age(at, now)));
        let alike = tool.look_alikes.iter().map(describe_likeness).collect::<Vec<_>>();
        table.add_row(vec![
            escape_text(tool.name.as_str()).into(),
            changed.unwrap_or_else(|| "accepted".to_owned()).into(),
            alike.join(", ").into(),
        ]);
    }
    table
}
