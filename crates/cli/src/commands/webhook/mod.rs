//! `countersign webhook`

mod add;
mod end_old;
mod list;
mod remove;
mod retry;
mod rotate;
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
    /// Sign messages with a new secret, and for a time with the old one, too
    Rotate(rotate::WebhookRotateArgs),
    /// Sign messages only with the current secret from now on
    EndOld(end_old::WebhookEndOldArgs),
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
        WebhookSubcommand::Rotate(args) => rotate::rotate_webhook(context, args).await,
        WebhookSubcommand::EndOld(args) => end_old::end_old_secret(context, args).await,
        WebhookSubcommand::Remove(args) => remove::remove_webhook(context, args).await,
        WebhookSubcommand::List(args) => list::list_webhooks(context, args).await,
    }
}
