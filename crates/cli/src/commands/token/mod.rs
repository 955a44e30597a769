//! `countersign token`

mod create;
mod list;
mod revoke;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign token`.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenSubcommand {
    /// Create a token for an agent or a person, or a link that signs a person in once
    Create(create::TokenCreateArgs),
    /// List the tokens
    List(list::TokenListArgs),
    /// Revoke a token, and every session that was made from it
    Revoke(revoke::TokenRevokeArgs),
}

pub(crate) async fn run_token_command(
    context: &CommandContext,
    command: &TokenSubcommand,
) -> anyhow::Result<CommandExit> {
    match command {
        TokenSubcommand::Create(args) => create::create_token(context, args).await,
        TokenSubcommand::List(args) => list::list_tokens(context, args).await,
        TokenSubcommand::Revoke(args) => revoke::revoke_token(context, args).await,
    }
}
