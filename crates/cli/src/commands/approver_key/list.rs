//! `countersign approver-key list`

use super::add::pin_line;
use crate::pages::{print_list, read_pages};
use countersign_api::{self as api, SelectionQuery, SendOperation, operations};
use countersign_console::{
    ColumnFit, CommandContext, CommandExit, TextTable, escape_text, format_age, print_line,
};
use countersign_events::{Sha256, Timestamp};

/// Options of `approver-key list`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"log\": the hash of the first event, which each statement names, \"keys\": [{\"id\", \"seq\", \"kind\": ssh or passkey, \"approver\", \"name\", \"publicKey\", \"credentialId\", \"addedAt\", \"addedBy\", \"removedBy\", \"removedAt\", \"reason\"}], \"next\": null}, the oldest first"
)]
pub(crate) struct ApproverKeyListArgs {
    /// List also keys that were removed
    #[arg(long)]
    all: bool,
    /// Print the lines for a `verify --approver-keys` file
    #[arg(long, conflicts_with = "all")]
    pins: bool,
}

pub(super) async fn list_keys(
    context: &CommandContext,
    args: &ApproverKeyListArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let mut all = api::ApproverKeyPage { log: Sha256::ZERO, keys: Vec::new(), next: None };
    read_pages(0, async |page| {
        let query = SelectionQuery { all: args.all, page };
        let found = gate.send(operations::ListApproverKeys { query }).await?;
        all.keys.extend(found.keys);
        all.log = found.log;
        Ok(found.next)
    })
    .await?;
    if args.pins && !context.json {
        all.keys.iter().for_each(|key| print_line(&pin_line(key)));
        return Ok(CommandExit::DONE);
    }
    print_list(context, &all, &key_table(&all.keys, context.now()), "No keys of approvers.")
}

fn key_table(keys: &[api::ApproverKey], now: Timestamp) -> TextTable {
    let mut table = TextTable::new(&[
        ("ID", ColumnFit::Whole),
        ("KIND", ColumnFit::Whole),
        ("APPROVER", ColumnFit::Wrapped),
        ("NAME", ColumnFit::Wrapped),
        ("ADDED", ColumnFit::Whole),
        ("BY", ColumnFit::Wrapped),
        ("STATE", ColumnFit::Wrapped),
    ]);
    for key in keys {
        let removed = key.removed_by.as_ref().map(|by| format!("removed by {}", escape_text(by.as_str())));
        table.add_row(vec![
            escape_text(&key.id).into(),
            key.kind.as_str().into(),
            escape_text(key.approver.as_str()).into(),
            escape_text(key.name.as_deref().unwrap_or_default()).into(),
            format_age(key.added_at, now).into(),
            escape_text(key.added_by.as_str()).into(),
            removed.unwrap_or_else(|| "active".to_owned()).into(),
        ]);
    }
    table
}
