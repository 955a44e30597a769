//! `countersign webhook remove`

use crate::{context::CommandContext, exit::CommandExit};
use countersign_tui::present::{
    print::{print_json, print_line},
    text::escape_text,
};

/// Options of `webhook remove`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the webhook as it was, as in `webhook list`")]
pub(crate) struct WebhookRemoveArgs {
    /// The name of the webhook
    name: String,
}

pub(super) async fn remove_webhook(
    context: &CommandContext,
    args: &WebhookRemoveArgs,
) -> anyhow::Result<CommandExit> {
    let removed = context.connect().await?.remove_webhook(&args.name).await?;
    if context.json {
        print_json(&removed)?;
    } else {
        print_line(&format!("Removed {}. It sends no further messages.", escape_text(&removed.name)));
    }
    Ok(CommandExit::DONE)
}
