//! Webhook target addresses, as people write them.

use countersign_client::{BadServiceUrl, ServiceUrl};
use countersign_events::WebhookFormat;
use url::Url;

/// A target address. It may contain a secret, so errors do not repeat it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct TargetUrl {
    service: ServiceUrl,
}

/// Why an address is not permitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadTarget {
    #[error("an address of ntfy ends with the topic: https://ntfy.sh/TOPIC")]
    NoTopic,
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
        let target = Self { service: ServiceUrl::parse(text, allow_private)? };
        if format == WebhookFormat::Ntfy && target.split_topic().is_none() {
            return Err(BadTarget::NoTopic);
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

    /// The address without its last part, and that part: the topic of ntfy.
    pub(crate) fn split_topic(&self) -> Option<(Url, String)> {
        let topic = self.url().path_segments()?.next_back().filter(|topic| !topic.is_empty())?.to_owned();
        let mut base = self.url().clone();
        base.path_segments_mut().ok()?.pop().push("");
        Some((base, topic))
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
