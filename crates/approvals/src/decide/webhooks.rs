//! Webhooks: add, remove and retry, which people do, and record deliveries, which the service does.

use super::{NewEvent, eligible};
use crate::{
    Refused,
    access::VisibleThreads,
    webhook_directory::{WebhookDirectory, WebhookRecord},
};
use countersign_events::{
    Body, Principal,
    event::{
        WebhookAdded, WebhookDelivered, WebhookFormat, WebhookParked, WebhookRemoved, WebhookRetried,
        WebhookTopic,
    },
    id::check_name,
    principal::PrincipalKind,
};

/// The most webhooks of a log. Each has a task in every server.
pub const MAX_WEBHOOKS: usize = 100;

/// The most thread globs of a webhook.
const MAX_GLOBS: usize = 64;

/// The longest name, in bytes.
const MAX_NAME: usize = 64;

/// The longest sealed text or reason, in bytes.
const MAX_TEXT_BYTES: usize = 8_192;

/// A command about the webhooks of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookCommand {
    /// Add a webhook.
    Add(WebhookAdded),
    /// Remove the webhook with this name.
    Remove(WebhookRemoved),
    /// Record how far messages are delivered.
    Deliver(WebhookDelivered),
    /// Record that a message could not be delivered.
    Park(WebhookParked),
    /// Send parked messages again.
    Retry(WebhookRetried),
}

/// Decides on a command about webhooks.
pub(crate) fn decide_on_webhooks(
    command: &WebhookCommand,
    by: &Principal,
    webhooks: &WebhookDirectory,
) -> Result<Vec<NewEvent>, Refused> {
    let body = match command {
        WebhookCommand::Add(added) => {
            eligible::check_is_person(by)?;
            check_added(added, webhooks)?;
            Body::WebhookAdded(added.clone())
        }
        WebhookCommand::Remove(removed) => {
            eligible::check_is_person(by)?;
            find(webhooks, removed.webhook)?;
            Body::WebhookRemoved(removed.clone())
        }
        WebhookCommand::Retry(retried) => {
            eligible::check_is_person(by)?;
            if !check_retried(find(webhooks, retried.webhook)?, retried)? {
                return Ok(Vec::new());
            }
            Body::WebhookRetried(retried.clone())
        }
        WebhookCommand::Deliver(delivered) => {
            check_is_service(by)?;
            if !changes(find(webhooks, delivered.webhook)?, delivered) {
                return Ok(Vec::new());
            }
            Body::WebhookDelivered(delivered.clone())
        }
        WebhookCommand::Park(parked) => {
            check_is_service(by)?;
            let known = find(webhooks, parked.webhook)?.parked.get(&parked.event);
            // Two servers may give up on the same message.
            if known.is_some_and(|known| !known.is_retried) {
                return Ok(Vec::new());
            }
            check_length("reason", &parked.reason)?;
            Body::WebhookParked(parked.clone())
        }
    };
    Ok(vec![NewEvent::new(by, body)])
}

fn check_added(added: &WebhookAdded, webhooks: &WebhookDirectory) -> Result<(), Refused> {
    check_name(&added.name).map_err(|why| invalid("name", &why.to_string()))?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if added.name.len() > MAX_NAME || !added.name.chars().all(is_plain) {
        return Err(invalid("name", "use up to 64 letters, digits, `-`, `_` and `.`"));
    }
    if webhooks.find(&added.name).is_some() {
        return Err(invalid("name", &format!("a webhook {} exists; remove it first", added.name)));
    }
    if webhooks.len() >= MAX_WEBHOOKS {
        return Err(invalid("name", &format!("the log has {MAX_WEBHOOKS} webhooks, the most; remove one")));
    }
    if added.format == WebhookFormat::Other {
        return Err(invalid("format", "it is unknown"));
    }
    if added.topics.contains(&WebhookTopic::Other) {
        return Err(invalid("topics", "one is unknown"));
    }
    if added.topics.len() > WebhookTopic::ALL.len() {
        return Err(invalid("topics", "one is named twice"));
    }
    if added.threads.len() > MAX_GLOBS {
        return Err(invalid("threads", &format!("a webhook has up to {MAX_GLOBS} globs")));
    }
    VisibleThreads::parse(&added.threads).map_err(|why| invalid("threads", &why.to_string()))?;
    check_length("url", &added.host)?;
    check_length("url", &added.sealed)
}

/// Returns true if the retry changes something.
fn check_retried(webhook: &WebhookRecord, retried: &WebhookRetried) -> Result<bool, Refused> {
    if let Some(unknown) = retried.events.iter().find(|event| !webhook.parked.contains_key(event)) {
        return Err(invalid("events", &format!("no message about event {unknown} is parked")));
    }
    Ok(retried.events.iter().any(|event| webhook.parked.get(event).is_some_and(|known| !known.is_retried)))
}

/// True if the record says something that the log does not have yet.
fn changes(webhook: &WebhookRecord, delivered: &WebhookDelivered) -> bool {
    delivered.up_to > webhook.cursor
        || delivered.retried.iter().any(|event| webhook.parked.contains_key(event))
}

fn find(webhooks: &WebhookDirectory, webhook: i64) -> Result<&WebhookRecord, Refused> {
    webhooks.get(webhook).ok_or(Refused::UnknownWebhook)
}

fn check_is_service(by: &Principal) -> Result<(), Refused> {
    if by.kind() == PrincipalKind::System {
        return Ok(());
    }
    Err(invalid("webhook", "only the service records deliveries"))
}

fn check_length(field: &'static str, text: &str) -> Result<(), Refused> {
    if text.is_empty() || text.len() > MAX_TEXT_BYTES {
        return Err(invalid(field, &format!("it must have 1 to {MAX_TEXT_BYTES} bytes")));
    }
    Ok(())
}

fn invalid(field: &'static str, why: &str) -> Refused {
    Refused::Invalid { field, why: why.to_owned() }
}
