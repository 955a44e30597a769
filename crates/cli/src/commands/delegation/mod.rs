//! `countersign delegation`

mod end;
mod list;
mod set;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign delegation`.
#[derive(Debug, Subcommand)]
pub(crate) enum DelegationCommand {
    /// List the active delegations
    List(list::DelegationListArgs),
    /// Let another person decide in your place until a moment
    Set(set::DelegationSetArgs),
    /// End a delegation before its time: one that you gave, or one that you received
    End(end::DelegationEndArgs),
}

pub(crate) async fn run_delegation_command(
    context: &CommandContext,
    command: &DelegationCommand,
) -> anyhow::Result<CommandExit> {
    match command {
        DelegationCommand::List(args) => list::list_delegations(context, args).await,
        DelegationCommand::Set(args) => set::set_delegation(context, args).await,
        DelegationCommand::End(args) => end::end_delegation(context, args).await,
    }
}
