//! `countersign webhook retry`

use crate::{context::CommandContext, exit::CommandExit};
use countersign_api as api;
use countersign_tui::present::{
    print::{print_json, print_line},
    text::escape_text,
};

/// Options of `webhook retry`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the webhook, as in `webhook list`")]
pub(crate) struct WebhookRetryArgs {
    /// The name of the webhook
    name: String,
    /// The events whose messages are sent again [default: all parked messages]
    events: Vec<i64>,
}

pub(super) async fn retry_webhook(
    context: &CommandContext,
    args: &WebhookRetryArgs,
) -> anyhow::Result<CommandExit> {
    let request = api::RetryWebhookRequest { events: args.events.clone() };
    let webhook = context.connect().await?.retry_webhook(&args.name, &request).await?;
    if context.json {
        print_json(&webhook)?;
    } else {
        print_line(&format!("{} sends its parked messages again.", escape_text(&webhook.name)));
    }
    Ok(CommandExit::DONE)
}
