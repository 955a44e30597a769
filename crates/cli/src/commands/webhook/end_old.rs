//! `countersign webhook end-old`

use countersign_api::{SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `webhook end-old`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the webhook, as in `webhook list`")]
pub(crate) struct WebhookEndOldArgs {
    /// The webhook's name
    name: String,
}

pub(super) async fn end_old_secret(
    context: &CommandContext,
    args: &WebhookEndOldArgs,
) -> anyhow::Result<CommandExit> {
    let webhook = context.connect().await?.send(operations::EndOldSecret { name: args.name.clone() }).await?;
    if context.json {
        print_json(&webhook)?;
    } else {
        print_line(&format!("Only the current secret of {} signs.", escape_text(&webhook.name)));
    }
    Ok(CommandExit::DONE)
}
