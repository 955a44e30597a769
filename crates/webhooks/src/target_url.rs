//! The address of a target, as a person wrote it.

use crate::public_address::{PrivateAddress, check_public, resolve_public};
use countersign_events::event::WebhookFormat;
use url::{Host, Url};

/// The longest address, in bytes.
const MAX_BYTES: usize = 2_048;

/// The address of a target. It may contain a secret, so errors do not repeat it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct TargetUrl {
    url: Url,
}

/// The reason why an address is not permitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadTarget {
    #[error("it is not an address of at most 2048 bytes, such as https://hooks.example.com/path")]
    NotAnAddress,
    #[error("it must begin with https://; --allow-private permits http://")]
    NotEncrypted,
    #[error("an address of ntfy ends with the topic: https://ntfy.sh/TOPIC")]
    NoTopic,
    #[error(transparent)]
    Private(#[from] PrivateAddress),
    #[error("{host}: {why}")]
    Unresolved { host: String, why: String },
}

impl TargetUrl {
    /// Reads an address.
    pub(crate) fn parse(text: &str, format: WebhookFormat, allow_private: bool) -> Result<Self, BadTarget> {
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return Err(BadTarget::NotAnAddress);
        }
        let mut url = Url::parse(text).map_err(|_| BadTarget::NotAnAddress)?;
        url.set_fragment(None);
        match url.scheme() {
            "https" => {}
            "http" if allow_private => {}
            "http" => return Err(BadTarget::NotEncrypted),
            _ => return Err(BadTarget::NotAnAddress),
        }
        let target = Self { url };
        if format == WebhookFormat::Ntfy && target.split_topic().is_none() {
            return Err(BadTarget::NoTopic);
        }
        if !allow_private {
            target.check_literal_address()?;
        }
        Ok(target)
    }

    /// Checks a host that is an address itself. The parser has brought all its spellings into one form.
    pub(crate) fn check_literal_address(&self) -> Result<(), PrivateAddress> {
        let address = match self.url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            _ => return Ok(()),
        };
        check_public(self.url.host_str().unwrap_or_default(), [address])
    }

    /// Checks that the name has only public addresses now. Each connection checks it again.
    pub(crate) async fn check_name(&self) -> Result<(), BadTarget> {
        let Some(Host::Domain(host)) = self.url.host() else { return Ok(()) };
        match resolve_public(host).await {
            Ok(_) => Ok(()),
            Err(error) => match error.downcast::<PrivateAddress>() {
                Ok(private) => Err(BadTarget::Private(*private)),
                Err(error) => Err(BadTarget::Unresolved { host: host.to_owned(), why: error.to_string() }),
            },
        }
    }

    /// The scheme, the host and the port, which are no secret.
    pub(crate) fn host(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The whole address.
    pub(crate) const fn url(&self) -> &Url {
        &self.url
    }

    /// The address without its last part, and that part: the topic of ntfy.
    pub(crate) fn split_topic(&self) -> Option<(Url, String)> {
        let topic = self.url.path_segments()?.next_back().filter(|topic| !topic.is_empty())?.to_owned();
        let mut base = self.url.clone();
        base.path_segments_mut().ok()?.pop().push("");
        Some((base, topic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, allow_private: bool) -> Result<TargetUrl, String> {
        TargetUrl::parse(text, WebhookFormat::Standard, allow_private).map_err(|why| why.to_string())
    }

    #[test]
    fn private_targets_are_refused_in_every_spelling() {
        for text in [
            "https://127.0.0.1/x",
            "https://127.1/x",
            "https://0x7f000001/",
            "https://2130706433/",
            "https://0177.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://169.254.169.254/latest/meta-data",
            "https://10.0.0.1:8443/",
        ] {
            let error = parse(text, false).err().unwrap_or_default();
            assert!(error.contains("private address"), "{text}: {error}");
            assert!(parse(text, true).is_ok(), "{text}");
        }
    }

    #[test]
    fn only_encrypted_web_addresses_are_accepted() {
        for text in
            ["", "x", "file:///etc/passwd", "ftp://example.com/", "unix:/run/x", "http://example.com/"]
        {
            assert!(parse(text, false).is_err(), "{text}");
        }
        assert!(parse("file:///etc/passwd", true).is_err());
        assert!(parse("http://example.com/", true).is_ok());
        let target = parse("https://user:pass@Example.com/secret?token=1#x", false).expect("a target");
        assert_eq!(target.host(), "https://example.com");
    }

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
}
