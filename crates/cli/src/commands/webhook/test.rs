//! `countersign webhook test`

use crate::{context::CommandContext, exit::CommandExit};
use countersign_tui::present::{
    print::{print_json, print_line},
    text::escape_text,
};

/// Options of `webhook test`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: {\"delivered\", \"detail\"}")]
pub(crate) struct WebhookTestArgs {
    /// The name of the webhook
    name: String,
}

pub(super) async fn test_webhook(
    context: &CommandContext,
    args: &WebhookTestArgs,
) -> anyhow::Result<CommandExit> {
    let report = context.connect().await?.test_webhook(&args.name).await?;
    if context.json {
        print_json(&report)?;
    } else {
        let word = if report.delivered { "Delivered" } else { "Not delivered" };
        print_line(&format!("{word}: {}.", escape_text(&report.detail)));
    }
    Ok(if report.delivered { CommandExit::DONE } else { CommandExit::FAILED })
}
