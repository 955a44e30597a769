//! `countersign webhook`

mod add;
mod list;
mod remove;
mod retry;
mod test;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign webhook`.
#[derive(Debug, Subcommand)]
pub(crate) enum WebhookSubcommand {
    /// Send messages about calls to an address, such as a chat
    Add(add::WebhookAddArgs),
    /// List the webhooks, with the messages that are not delivered
    List(list::WebhookListArgs),
    /// Send a test message now, and report the answer
    Test(test::WebhookTestArgs),
    /// Send parked messages again
    Retry(retry::WebhookRetryArgs),
    /// Send no further messages
    Remove(remove::WebhookRemoveArgs),
}

pub(crate) async fn run_webhook_command(
    context: &CommandContext,
    command: &WebhookSubcommand,
) -> anyhow::Result<CommandExit> {
    match command {
        WebhookSubcommand::Add(args) => add::add_webhook(context, args).await,
        WebhookSubcommand::Test(args) => test::test_webhook(context, args).await,
        WebhookSubcommand::Retry(args) => retry::retry_webhook(context, args).await,
        WebhookSubcommand::Remove(args) => remove::remove_webhook(context, args).await,
        WebhookSubcommand::List(args) => list::list_webhooks(context, args).await,
    }
}
