//! The rules about webhooks: people add, remove and retry, and the service records deliveries.

use super::{AdmissionContext, LogRegistry, wrong_group};
use crate::{
    Refused,
    access::VisibleThreads,
    decide::check_is_person,
    webhook_directory::{WebhookDirectory, WebhookRecord},
};
use countersign_events::{
    Body, Event, Principal, WebhookAdded, WebhookDelivered, WebhookFormat, WebhookRetried, WebhookTopic,
    id::check_name, principal::PrincipalKind,
};

/// The maximum number of webhooks per log. Each has a task in every server.
pub const MAX_WEBHOOKS: usize = 100;

/// The maximum number of thread globs per webhook.
const MAX_GLOBS: usize = 64;

/// The maximum length of a name, in bytes.
const MAX_NAME: usize = 64;

/// The maximum length of sealed content or a reason, in bytes.
const MAX_TEXT_BYTES: usize = 8_192;

impl LogRegistry for WebhookDirectory {
    fn admit(&self, fact: Body, context: &AdmissionContext<'_>) -> Result<Option<Body>, Refused> {
        let is_new = match &fact {
            Body::WebhookAdded(added) => {
                check_is_person(context.by)?;
                check_added(added, self)?;
                true
            }
            Body::WebhookRemoved(removed) => {
                check_is_person(context.by)?;
                find(self, removed.webhook)?;
                true
            }
            Body::WebhookRetried(retried) => {
                check_is_person(context.by)?;
                check_retried(find(self, retried.webhook)?, retried)?
            }
            Body::WebhookDelivered(delivered) => {
                check_is_service(context.by)?;
                changes(find(self, delivered.webhook)?, delivered)
            }
            Body::WebhookParked(parked) => {
                check_is_service(context.by)?;
                let known = find(self, parked.webhook)?.parked.get(&parked.event);
                // Two servers may give up on the same message.
                let is_new = known.is_none_or(|known| known.is_retried);
                if is_new {
                    check_length("reason", &parked.reason)?;
                }
                is_new
            }
            _ => return Err(wrong_group()),
        };
        Ok(is_new.then_some(fact))
    }

    fn evolve(&mut self, event: &Event, body: &Body) {
        Self::evolve(self, event, body);
    }
}

fn check_added(added: &WebhookAdded, webhooks: &WebhookDirectory) -> Result<(), Refused> {
    check_name(&added.name).map_err(|why| Refused::invalid("name", &why.to_string()))?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if added.name.len() > MAX_NAME || !added.name.chars().all(is_plain) {
        return Err(Refused::invalid("name", "use up to 64 letters, digits, `-`, `_` and `.`"));
    }
    if webhooks.find(&added.name).is_some() {
        return Err(Refused::invalid("name", &format!("a webhook {} exists; remove it first", added.name)));
    }
    if webhooks.len() >= MAX_WEBHOOKS {
        return Err(Refused::invalid(
            "name",
            &format!("the log has {MAX_WEBHOOKS} webhooks, the most; remove one"),
        ));
    }
    if added.format == WebhookFormat::Other {
        return Err(Refused::invalid("format", "it is unknown"));
    }
    if added.topics.contains(&WebhookTopic::Other) {
        return Err(Refused::invalid("topics", "one is unknown"));
    }
    if added.topics.len() > WebhookTopic::ALL.len() {
        return Err(Refused::invalid("topics", "one is named twice"));
    }
    if added.threads.len() > MAX_GLOBS {
        return Err(Refused::invalid("threads", &format!("a webhook has up to {MAX_GLOBS} globs")));
    }
    VisibleThreads::parse(&added.threads).map_err(|why| Refused::invalid("threads", &why.to_string()))?;
    check_length("url", &added.host)?;
    check_length("url", &added.sealed)
}

/// Returns true if the retry changes something.
fn check_retried(webhook: &WebhookRecord, retried: &WebhookRetried) -> Result<bool, Refused> {
    if let Some(unknown) = retried.events.iter().find(|event| !webhook.parked.contains_key(event)) {
        return Err(Refused::invalid("events", &format!("no message about event {unknown} is parked")));
    }
    Ok(retried.events.iter().any(|event| webhook.parked.get(event).is_some_and(|known| !known.is_retried)))
}

/// Returns true if the record says something new to the log.
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
    Err(Refused::invalid("webhook", "only the service records deliveries"))
}

fn check_length(field: &'static str, text: &str) -> Result<(), Refused> {
    if text.is_empty() || text.len() > MAX_TEXT_BYTES {
        return Err(Refused::invalid(field, &format!("it must have 1 to {MAX_TEXT_BYTES} bytes")));
    }
    Ok(())
}
