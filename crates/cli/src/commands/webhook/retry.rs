//! `countersign webhook retry`

use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `webhook retry`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the webhook, as in `webhook list`")]
pub(crate) struct WebhookRetryArgs {
    /// The webhook's name
    name: String,
    /// The events whose messages are sent again [default: all parked messages]
    events: Vec<i64>,
}

pub(super) async fn retry_webhook(
    context: &CommandContext,
    args: &WebhookRetryArgs,
) -> anyhow::Result<CommandExit> {
    let request = api::RetryWebhookRequest { events: args.events.clone() };
    let webhook = context
        .connect()
        .await?
        .send(operations::RetryWebhook { name: args.name.clone(), body: request })
        .await?;
    if context.json {
        print_json(&webhook)?;
    } else {
        print_line(&format!("{} sends its parked messages again.", escape_text(&webhook.name)));
    }
    Ok(CommandExit::DONE)
}
