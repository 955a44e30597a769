//! `countersign approver-key`

mod add;
mod list;
mod remove;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign approver-key`.
#[derive(Debug, Subcommand)]
pub(crate) enum ApproverKeySubcommand {
    /// Add an SSH key with which you prove your decisions
    Add(add::ApproverKeyAddArgs),
    /// List the keys of approvers
    List(list::ApproverKeyListArgs),
    /// Remove a key, whose proofs are not accepted from then on
    Remove(remove::ApproverKeyRemoveArgs),
}

pub(crate) async fn run_approver_key_command(
    context: &CommandContext,
    command: &ApproverKeySubcommand,
) -> anyhow::Result<CommandExit> {
    match command {
        ApproverKeySubcommand::Add(args) => add::add_key(context, args).await,
        ApproverKeySubcommand::List(args) => list::list_keys(context, args).await,
        ApproverKeySubcommand::Remove(args) => remove::remove_key(context, args).await,
    }
}
