//! Webhook target addresses, as people write them.

use crate::chats::chat_address::{ChatAddress, address_form};
use countersign_client::{BadServiceUrl, ServiceUrl};
use countersign_events::{SecretValue, WebhookFormat};
use url::Url;

/// The address forms with a key, as errors show them.
const PAGERDUTY: &str = "https://events.pagerduty.com/v2/enqueue#KEY";
const OPSGENIE: &str = "https://api.opsgenie.com/v2/alerts#KEY";
const JIRA: &str = "https://api-private.atlassian.com/automation/webhooks/jira/a/…#SECRET";

/// The longest key, in bytes.
const MAX_KEY: usize = 512;

/// A target address. It may contain a secret, so errors do not repeat it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct TargetUrl {
    service: ServiceUrl,
    /// The key after `#`, for the formats that have one. `service` does not have it, so that no request line does.
    key: Option<SecretValue<String>>,
}

/// Why an address is not permitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadTarget {
    #[error("an address of ntfy ends with the topic: https://ntfy.sh/TOPIC")]
    NoTopic,
    #[error("an address of this format ends with # and the key, without blanks: {0}")]
    NoKey(&'static str),
    #[error("an address of this format has the form {0}, and # stands before the secrets")]
    NoChat(&'static str),
    #[error("an address of opsgenie ends with /v2/alerts before the key: {OPSGENIE}")]
    NoAlerts,
    #[error("{0}; --allow-private permits http://")]
    NotEncrypted(BadServiceUrl),
    #[error("{0}; --allow-private permits it")]
    Private(BadServiceUrl),
    #[error(transparent)]
    Other(BadServiceUrl),
}

impl From<BadServiceUrl> for BadTarget {
    fn from(why: BadServiceUrl) -> Self {
        match why {
            BadServiceUrl::NotEncrypted => Self::NotEncrypted(why),
            BadServiceUrl::Private(_) => Self::Private(why),
            BadServiceUrl::NotAnAddress | BadServiceUrl::Unresolved { .. } => Self::Other(why),
        }
    }
}

impl TargetUrl {
    /// Reads an address.
    pub(crate) fn parse(text: &str, format: WebhookFormat, allow_private: bool) -> Result<Self, BadTarget> {
        let service = ServiceUrl::parse(text, allow_private)?;
        let target = Self { service, key: read_key(text, format)? };
        if format == WebhookFormat::Ntfy && target.split_topic().is_none() {
            return Err(BadTarget::NoTopic);
        }
        if format == WebhookFormat::Opsgenie && !target.url().path().ends_with("/v2/alerts") {
            return Err(BadTarget::NoAlerts);
        }
        if let Some(form) = address_form(format)
            && target.chat(format).is_none()
        {
            return Err(BadTarget::NoChat(form));
        }
        Ok(target)
    }

    /// Checks that the name has only public addresses now. Each connection checks it again.
    pub(crate) async fn check_name(&self) -> Result<(), BadTarget> {
        Ok(self.service.check_name().await?)
    }

    /// The scheme, the host and the port, which are no secret.
    pub(crate) fn host(&self) -> String {
        self.service.host()
    }

    /// The whole address.
    pub(crate) const fn url(&self) -> &Url {
        self.service.url()
    }

    /// The key after `#`.
    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.expose().as_str())
    }

    /// Where the messages of a chat app go.
    pub(crate) fn chat(&self, format: WebhookFormat) -> Option<ChatAddress> {
        ChatAddress::read(self.url(), self.key()?, format)
    }

    /// The address without its last part, and that part: the topic of ntfy.
    pub(crate) fn split_topic(&self) -> Option<(Url, String)> {
        let topic = self.url().path_segments()?.next_back().filter(|topic| !topic.is_empty())?.to_owned();
        let mut base = self.url().clone();
        base.path_segments_mut().ok()?.pop().push("");
        Some((base, topic))
    }
}

/// Reads the key that the address has after `#`. A rule of Jira has a secret in the cloud, and none on own servers.
fn read_key(text: &str, format: WebhookFormat) -> Result<Option<SecretValue<String>>, BadTarget> {
    let (example, is_required) = match format {
        WebhookFormat::PagerDuty => (PAGERDUTY, true),
        WebhookFormat::Opsgenie => (OPSGENIE, true),
        WebhookFormat::Jira => (JIRA, false),
        _ => match address_form(format) {
            Some(form) => (form, true),
            None => return Ok(None),
        },
    };
    match text.trim().split_once('#') {
        None if !is_required => Ok(None),
        Some((_, key)) if (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic()) => {
            Ok(Some(key.into()))
        }
        _ => Err(BadTarget::NoKey(example)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topic_of_ntfy_is_the_last_part() {
        let parse = |text| TargetUrl::parse(text, WebhookFormat::Ntfy, false);
        let (base, topic) = parse("https://ntfy.example/sub/alerts?auth=x")
            .expect("a target")
            .split_topic()
            .expect("a topic");
        assert_eq!((base.as_str(), topic.as_str()), ("https://ntfy.example/sub/?auth=x", "alerts"));
        assert!(matches!(parse("https://ntfy.example/"), Err(BadTarget::NoTopic)));
    }

    #[test]
    fn key_is_never_in_the_address() {
        let parse = |text, format| TargetUrl::parse(text, format, false);
        let pager = parse(" https://events.pagerduty.com/v2/enqueue#R0ut1ng\n", WebhookFormat::PagerDuty);
        let pager = pager.expect("a target");
        assert_eq!((pager.url().as_str(), pager.key()), (&PAGERDUTY[..39], Some("R0ut1ng")));
        let without = parse("https://jira.example/rest/cb-automation/latest/hooks/x", WebhookFormat::Jira);
        assert_eq!(without.expect("a target").key(), None, "own servers have no secret");
        let long = format!("{OPSGENIE}{}", "x".repeat(MAX_KEY));
        for (text, format) in [
            ("https://events.pagerduty.com/v2/enqueue", WebhookFormat::PagerDuty),
            ("https://events.pagerduty.com/v2/enqueue?routing_key=K", WebhookFormat::PagerDuty),
            ("https://events.pagerduty.com/v2/enqueue#", WebhookFormat::PagerDuty),
            ("https://api.opsgenie.com/v2/alerts", WebhookFormat::Opsgenie),
            ("https://api.opsgenie.com/v2/alerts#a b", WebhookFormat::Opsgenie),
            ("https://api.opsgenie.com/v2/alerts#a\r\nX-Header: b", WebhookFormat::Opsgenie),
            (&long, WebhookFormat::Opsgenie),
            ("https://jira.example/x#", WebhookFormat::Jira),
        ] {
            assert!(matches!(parse(text, format), Err(BadTarget::NoKey(_))), "{text}");
        }
        let other = parse("https://api.opsgenie.com/#KEY", WebhookFormat::Opsgenie);
        assert!(matches!(other, Err(BadTarget::NoAlerts)));
        let chat = parse("https://hooks.example/x#part", WebhookFormat::Slack);
        assert_eq!(chat.expect("a target").key(), None);
    }

    #[test]
    fn error_names_the_option_that_permits_it() {
        let error = |text| match TargetUrl::parse(text, WebhookFormat::Standard, false) {
            Ok(_) => String::new(),
            Err(why) => why.to_string(),
        };
        assert_eq!(
            error("http://example.com/"),
            "it must begin with https://; --allow-private permits http://"
        );
        assert!(error("https://10.0.0.1/").ends_with("--allow-private permits it"));
    }
}
