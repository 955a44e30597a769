//! `countersign delegation list`

use crate::pages::print_list;
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{ColumnFit, CommandContext, CommandExit, TextTable, escape_text};

/// Options of `delegation list`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"delegations\": [{\"seq\": its number, \"from\", \"to\", \"at\", \"until\", \"comment\"}]}, the oldest first"
)]
pub(crate) struct DelegationListArgs {}

pub(super) async fn list_delegations(
    context: &CommandContext,
    _: &DelegationListArgs,
) -> anyhow::Result<CommandExit> {
    let found = context.connect().await?.send(operations::ListDelegations {}).await?;
    print_list(context, &found, &delegation_table(&found.delegations), "No delegation is active.")
}

fn delegation_table(delegations: &[api::Delegation]) -> TextTable {
    let mut table = TextTable::new(&[
        ("DELEGATION", ColumnFit::Number),
        ("FROM", ColumnFit::Wrapped),
        ("TO", ColumnFit::Wrapped),
        ("UNTIL", ColumnFit::Whole),
        ("COMMENT", ColumnFit::Wrapped),
    ]);
    for delegation in delegations {
        table.add_row(vec![
            delegation.seq.to_string().into(),
            escape_text(delegation.from.as_str()).into(),
            escape_text(delegation.to.as_str()).into(),
            delegation.until.to_string().into(),
            escape_text(delegation.comment.as_deref().unwrap_or_default()).into(),
        ]);
    }
    table
}
