//! `countersign grant`

mod list;
mod prolong;
mod read;
mod revoke;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign grant`.
#[derive(Debug, Subcommand)]
pub(crate) enum GrantCommand {
    /// List a thread's grants: remembered allowances and denials
    List(list::GrantListArgs),
    /// Give a grant new limits: a time, a number of calls, or both
    Prolong(prolong::GrantProlongArgs),
    /// Revoke a grant, so that it answers no more calls
    Revoke(revoke::GrantRevokeArgs),
}

pub(crate) async fn run_grant_command(
    context: &CommandContext,
    command: &GrantCommand,
) -> anyhow::Result<CommandExit> {
    match command {
        GrantCommand::List(args) => list::list_grants(context, args).await,
        GrantCommand::Prolong(args) => prolong::prolong_grant(context, args).await,
        GrantCommand::Revoke(args) => revoke::revoke_grant(context, args).await,
    }
}
