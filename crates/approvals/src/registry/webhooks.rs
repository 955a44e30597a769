//! The rules about webhooks: people add, remove and retry, and the service records deliveries.

use super::{AdmissionContext, LogRegistry, wrong_group};
use crate::{
    Refused,
    access::VisibleThreads,
    decide::check_is_person,
    webhook_directory::{WebhookDirectory, WebhookRecord},
};
use countersign_events::{
    Body, Event, Principal, Timestamp, WebhookAdded, WebhookDelivered, WebhookFormat, WebhookRetried,
    WebhookSecretSet, WebhookTopic, id::check_name, principal::PrincipalKind,
};
use std::time::Duration;

/// The maximum number of webhooks per log. Each has a task in every server.
pub const MAX_WEBHOOKS: usize = 100;

/// The maximum number of thread globs per webhook.
const MAX_GLOBS: usize = 64;

/// The maximum length of a name, in bytes.
const MAX_NAME: usize = 64;

/// The longest time for which an old signing secret signs beside the new one.
const MAX_OLD_SECRET: Duration = Duration::from_hours(30 * 24);

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
            Body::WebhookSecretSet(set) => {
                check_is_person(context.by)?;
                check_secret_set(find(self, set.webhook)?, set, context.now)?;
                true
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
    check_pager_topics(added)?;
    if added.threads.len() > MAX_GLOBS {
        return Err(Refused::invalid("threads", &format!("a webhook has up to {MAX_GLOBS} globs")));
    }
    VisibleThreads::parse(&added.threads).map_err(|why| Refused::invalid("threads", &why.to_string()))?;
    check_length("url", &added.host)?;
    check_length("url", &added.sealed)
}

/// Checks that a pager gets only messages that open or close an alert, and closes none that it never opens.
fn check_pager_topics(added: &WebhookAdded) -> Result<(), Refused> {
    let (format, topics) = (added.format, &added.topics);
    if let Some(other) = topics.iter().find(|topic| !format.has_topic(**topic)) {
        let why = format!("{} has no messages about {}", format.as_str(), other.as_str());
        return Err(Refused::invalid("topics", &why));
    }
    let has = |topic: &WebhookTopic| topics.contains(topic);
    let closes = [WebhookTopic::Decided, WebhookTopic::Expired].iter().any(has);
    let opens = [WebhookTopic::Opened, WebhookTopic::Reminded, WebhookTopic::Escalated].iter().any(has);
    if format.is_pager() && closes && !opens {
        let why =
            "decided and expired close alerts; name opened, reminded or escalated, too, which open them";
        return Err(Refused::invalid("topics", why));
    }
    Ok(())
}

/// Returns true if the retry changes something.
fn check_retried(webhook: &WebhookRecord, retried: &WebhookRetried) -> Result<bool, Refused> {
    if let Some(unknown) = retried.events.iter().find(|event| !webhook.parked.contains_key(event)) {
        return Err(Refused::invalid("events", &format!("no message about event {unknown} is parked")));
    }
    Ok(retried.events.iter().any(|event| webhook.parked.get(event).is_some_and(|known| !known.is_retried)))
}

/// Checks a new signing secret. Two secrets sign at the same time, the most: a receiver checks each signature, and a
/// third secret would only hide that receivers still use the first.
fn check_secret_set(webhook: &WebhookRecord, set: &WebhookSecretSet, now: Timestamp) -> Result<(), Refused> {
    if webhook.added.what.format != WebhookFormat::Standard {
        return Err(Refused::invalid("name", "only the format standard is signed"));
    }
    if let Some(until) = set.old_secret_until {
        if until <= now || until > now.after(MAX_OLD_SECRET) {
            return Err(Refused::invalid("oldSecretSeconds", "an old secret signs for up to 30 days"));
        }
        if let Some(end) = webhook.old_secret_until(now) {
            let why = format!("an old secret signs until {end}; end it first");
            return Err(Refused::invalid("oldSecretSeconds", &why));
        }
    }
    check_length("secret", &set.sealed)
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
