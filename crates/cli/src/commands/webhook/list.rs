//! `countersign webhook list`

use crate::pages::print_list;
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{
    ColumnFit, CommandContext, CommandExit, TextTable, count_words, escape_text, format_age, print_line,
};
use countersign_events::Timestamp;

/// The most failing and parked messages that are printed for each webhook.
const MAX_MESSAGES: usize = 5;

/// Options of `webhook list`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"webhooks\": [{\"name\", \"seq\", \"format\", \"host\", \"topics\", \"threads\", \"allowPrivate\", \"arguments\": true or absent, \"oldSecretUntil\": absent if one secret signs, \"createdAt\", \"createdBy\", \"deliveredUpTo\", \"failing\": [{\"event\", \"attempts\", \"reason\", \"nextAttemptAt\"}], \"parkedCount\", \"parked\": [{\"event\", \"attempts\", \"reason\", \"at\", \"retried\"}]}]}, the oldest first"
)]
pub(crate) struct WebhookListArgs {}

pub(super) async fn list_webhooks(
    context: &CommandContext,
    _: &WebhookListArgs,
) -> anyhow::Result<CommandExit> {
    let list = context.connect().await?.send(operations::ListWebhooks {}).await?;
    let printed = print_list(context, &list, &webhook_table(&list.webhooks, context.now()), "No webhooks.")?;
    for line in list.webhooks.iter().flat_map(|webhook| attention_lines(context, webhook)) {
        if !context.json {
            print_line(&line);
        }
    }
    Ok(printed)
}

fn webhook_table(webhooks: &[api::Webhook], now: Timestamp) -> TextTable {
    let mut table = TextTable::new(&[
        ("NAME", ColumnFit::Whole),
        ("FORMAT", ColumnFit::Whole),
        ("TARGET", ColumnFit::Wrapped),
        ("TOPICS", ColumnFit::Wrapped),
        ("THREADS", ColumnFit::Wrapped),
        ("DELIVERED", ColumnFit::Whole),
        ("FAILING", ColumnFit::Whole),
        ("PARKED", ColumnFit::Whole),
        ("ADDED", ColumnFit::Whole),
    ]);
    for webhook in webhooks {
        let all_or = |texts: Vec<&str>| if texts.is_empty() { "all".to_owned() } else { texts.join(", ") };
        let private = if webhook.allow_private { " (private permitted)" } else { "" };
        let arguments = if webhook.arguments { " (with arguments)" } else { "" };
        table.add_row(vec![
            escape_text(&webhook.name).into(),
            webhook.format.as_str().into(),
            format!("{}{private}{arguments}", escape_text(&webhook.host)).into(),
            all_or(webhook.topics.iter().map(|topic| topic.as_str()).collect()).into(),
            escape_text(&all_or(webhook.threads.iter().map(String::as_str).collect())).into(),
            format!("to event {}", webhook.delivered_up_to).into(),
            webhook.failing.len().to_string().into(),
            webhook.parked_count.to_string().into(),
            format_age(webhook.created_at, now).into(),
        ]);
    }
    table
}

/// A webhook's old secret and undelivered messages, and what ends them.
fn attention_lines(context: &CommandContext, webhook: &api::Webhook) -> Vec<String> {
    let name = escape_text(&webhook.name);
    let attempts = |count: u32| count_words(u64::from(count), "attempt");
    let failing = webhook.failing.iter().take(MAX_MESSAGES).map(|failing| {
        format!(
            "\n{name}: event {} failed after {}, next at {}: {}",
            failing.event,
            attempts(failing.attempts),
            failing.next_attempt_at,
            escape_text(&failing.reason)
        )
    });
    let parked = webhook.parked.iter().take(MAX_MESSAGES).map(|parked| {
        let state = if parked.retried { "is sent again" } else { "is parked" };
        let (event, attempts) = (parked.event, attempts(parked.attempts));
        format!("\n{name}: event {event} {state} after {attempts}: {}", escape_text(&parked.reason))
    });
    let old = webhook.old_secret_until.map(|until| {
        let command = format!("{} webhook end-old {name}", context.command_prefix());
        format!("\n{name}: the old secret signs until {until}; end it now: {command}")
    });
    let mut lines: Vec<_> = old.into_iter().chain(failing).chain(parked).collect();
    if webhook.parked_count > 0 {
        lines
            .push(format!("  Send parked messages again: {} webhook retry {name}", context.command_prefix()));
    }
    lines
}
