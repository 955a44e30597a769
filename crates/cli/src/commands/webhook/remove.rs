//! `countersign webhook remove`

use countersign_api::{SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `webhook remove`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the webhook as it was, as in `webhook list`")]
pub(crate) struct WebhookRemoveArgs {
    /// The webhook's name
    name: String,
}

pub(super) async fn remove_webhook(
    context: &CommandContext,
    args: &WebhookRemoveArgs,
) -> anyhow::Result<CommandExit> {
    let removed =
        context.connect().await?.send(operations::RemoveWebhook { name: args.name.clone() }).await?;
    if context.json {
        print_json(&removed)?;
    } else {
        print_line(&format!("Removed {}. It sends no further messages.", escape_text(&removed.name)));
    }
    Ok(CommandExit::DONE)
}
