//! `countersign webhook test`

use countersign_api::{SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `webhook test`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: {\"delivered\", \"detail\"}")]
pub(crate) struct WebhookTestArgs {
    /// The webhook's name
    name: String,
}

pub(super) async fn test_webhook(
    context: &CommandContext,
    args: &WebhookTestArgs,
) -> anyhow::Result<CommandExit> {
    let report = context.connect().await?.send(operations::TestWebhook { name: args.name.clone() }).await?;
    if context.json {
        print_json(&report)?;
    } else {
        let word = if report.delivered { "Delivered" } else { "Not delivered" };
        print_line(&format!("{word}: {}.", escape_text(&report.detail)));
    }
    Ok(if report.delivered { CommandExit::DONE } else { CommandExit::FAILED })
}
