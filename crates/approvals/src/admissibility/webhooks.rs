//! Checks the rows about webhooks. They contain the whole command, so nothing has to be guessed.

use super::{compare, log_row::LogRow, row_comparison::RowComparison};
use crate::{
    decide::{self, WebhookCommand},
    webhook_directory::WebhookDirectory,
};
use countersign_events::Body;

/// Compares a row about a webhook with the one that the rules would write.
pub(super) fn compare_webhook_row(row: &LogRow, webhooks: &WebhookDirectory) -> RowComparison {
    let different = |reason: String| RowComparison::Different { position: 0, reason };
    let Some(command) = recorded_command(&row.body) else {
        return different("it is not about a webhook".to_owned());
    };
    match decide::decide_on_webhooks(&command, &row.event.principal, webhooks) {
        Err(refused) => different(refused.to_string()),
        Ok(expected) => match expected.first() {
            None => different("the log has this fact already".to_owned()),
            Some(new) => match compare::check_row(new, row) {
                Ok(()) => RowComparison::Same(1),
                Err(reason) => different(reason),
            },
        },
    }
}

fn recorded_command(body: &Body) -> Option<WebhookCommand> {
    match body {
        Body::WebhookAdded(added) => Some(WebhookCommand::Add(added.clone())),
        Body::WebhookRemoved(removed) => Some(WebhookCommand::Remove(removed.clone())),
        Body::WebhookDelivered(delivered) => Some(WebhookCommand::Deliver(delivered.clone())),
        Body::WebhookParked(parked) => Some(WebhookCommand::Park(parked.clone())),
        Body::WebhookRetried(retried) => Some(WebhookCommand::Retry(retried.clone())),
        _ => None,
    }
}
