//! `countersign checkpoint`

mod key;
mod sign;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign checkpoint`.
#[derive(Debug, Subcommand)]
pub(crate) enum CheckpointCommand {
    /// Print the public key of a key file, which is created if it is missing
    Key(key::CheckpointKeyArgs),
    /// Check the hash chain, and sign the log's tip
    Sign(sign::CheckpointSignArgs),
}

pub(crate) async fn run_checkpoint_command(
    context: &CommandContext,
    command: &CheckpointCommand,
) -> anyhow::Result<CommandExit> {
    match command {
        CheckpointCommand::Key(args) => key::print_public_key(context, args),
        CheckpointCommand::Sign(args) => sign::sign_checkpoint(context, args).await,
    }
}
