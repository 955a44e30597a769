//! `countersign migrate`

use crate::{
    context::CommandContext,
    exit::{CliError, CommandExit},
};
use countersign_api::ApprovalGate;
use countersign_gate::{EmbeddedGate, Policy, SchemaLayout, StoreOptions};
use countersign_tui::present::print::print_line;
use serde_json::json;

/// Upgrades a log. Opening a log upgrades it too, but on PostgreSQL the role of a server may lack the rights.
pub(crate) async fn migrate_log(context: &CommandContext) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        let message = "migrate works on a database: use --database instead of --server";
        return Err(CliError::usage(message).into());
    }
    let address = context.settings.database_to_create()?;
    let gate = EmbeddedGate::open_with(address.clone(), StoreOptions::default(), Policy::shipped()).await?;
    let found = gate.found_layout();
    gate.shut_down().await;
    let (done, text) = match found {
        SchemaLayout::None => ("made", "created a new log."),
        SchemaLayout::Older => ("migrated", "upgraded to the schema of this version."),
        SchemaLayout::Ours | SchemaLayout::Unreleased | SchemaLayout::Newer { .. } => {
            ("nothing", "the schema is up to date.")
        }
    };
    if context.json {
        print_line(&json!({"database": address.to_string(), "done": done}).to_string());
    } else {
        print_line(&format!("{address}: {text}"));
    }
    Ok(CommandExit::DONE)
}
