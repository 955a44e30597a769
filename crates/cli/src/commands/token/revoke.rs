//! `countersign token revoke`

use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `token revoke`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the token, as in `token list`")]
pub(crate) struct TokenRevokeArgs {
    /// The token id from `token list`
    id: String,
    /// The reason, which the log keeps
    #[arg(long)]
    reason: Option<String>,
}

pub(super) async fn revoke_token(
    context: &CommandContext,
    args: &TokenRevokeArgs,
) -> anyhow::Result<CommandExit> {
    let request = api::RevokeTokenRequest { reason: args.reason.clone() };
    let revoked =
        context.connect().await?.send(operations::RevokeToken { id: args.id.clone(), body: request }).await?;
    if context.json {
        print_json(&revoked)?;
    } else {
        print_line(&format!(
            "Revoked {} of {}, and every session made from it.",
            escape_text(&revoked.id),
            escape_text(revoked.principal.as_str())
        ));
    }
    Ok(CommandExit::DONE)
}
