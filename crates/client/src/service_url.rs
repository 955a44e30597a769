//! The address of another service that a person named, and the HTTP clients that reach only what it permits.

use crate::{
    PrivateAddress, new_http_client_builder,
    public_address::{PublicResolver, check_public, resolve_public},
};
use countersign_api::{ErrorCode, GateError};
use reqwest::{Client, ClientBuilder, redirect::Policy};
use std::{error::Error, time::Duration};
use url::{Host, Url};

/// The longest address, in bytes.
const MAX_BYTES: usize = 2_048;

/// The address of another service. It may contain a secret, so errors do not repeat it.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceUrl {
    url: Url,
}

/// The reason why an address is not permitted.
#[derive(Debug, thiserror::Error)]
pub enum BadServiceUrl {
    /// It is not a web address.
    #[error("it is not an address of at most 2048 bytes, such as https://hooks.example.com/path")]
    NotAnAddress,
    /// It has no TLS, and private addresses are not permitted.
    #[error("it must begin with https://")]
    NotEncrypted,
    /// It leads to this machine or this network.
    #[error(transparent)]
    Private(#[from] PrivateAddress),
    /// Its host has no address.
    #[error("{host}: {why}")]
    Unresolved {
        /// The host.
        host: String,
        /// The problem.
        why: String,
    },
}

impl ServiceUrl {
    /// Reads an address. `allow_private` permits `http://`, this machine and private networks.
    pub fn parse(text: &str, allow_private: bool) -> Result<Self, BadServiceUrl> {
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return Err(BadServiceUrl::NotAnAddress);
        }
        let mut url = Url::parse(text).map_err(|_| BadServiceUrl::NotAnAddress)?;
        url.set_fragment(None);
        match url.scheme() {
            "https" => {}
            "http" if allow_private => {}
            "http" => return Err(BadServiceUrl::NotEncrypted),
            _ => return Err(BadServiceUrl::NotAnAddress),
        }
        let target = Self { url };
        if !allow_private {
            target.check_literal_address()?;
        }
        Ok(target)
    }

    /// Checks a host that is an address itself. The parser has normalized all its spellings.
    fn check_literal_address(&self) -> Result<(), PrivateAddress> {
        let address = match self.url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            _ => return Ok(()),
        };
        check_public(self.url.host_str().unwrap_or_default(), [address])
    }

    /// Checks that the name has only public addresses now. Each connection of [`ServiceClients`] checks it again.
    pub async fn check_name(&self) -> Result<(), BadServiceUrl> {
        let Some(Host::Domain(host)) = self.url.host() else { return Ok(()) };
        match resolve_public(host).await {
            Ok(_) => Ok(()),
            Err(error) => match error.downcast::<PrivateAddress>() {
                Ok(private) => Err(BadServiceUrl::Private(*private)),
                Err(error) => {
                    Err(BadServiceUrl::Unresolved { host: host.to_owned(), why: error.to_string() })
                }
            },
        }
    }

    /// The scheme, the host and the port, which are no secret.
    #[must_use]
    pub fn host(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The whole address.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }
}

/// Two HTTP clients: for public targets, and for those that may be private. They use no proxy and follow no redirects,
/// because either would connect to addresses that nothing has checked.
pub struct ServiceClients {
    public: Client,
    unrestricted: Client,
}

impl ServiceClients {
    /// Creates the clients. `limits` sets their time limits.
    pub fn new(limits: impl Fn(ClientBuilder) -> ClientBuilder) -> Result<Self, GateError> {
        let builder =
            || Ok::<_, GateError>(limits(new_http_client_builder()?.no_proxy().redirect(Policy::none())));
        let failed = |why: reqwest::Error| GateError::new(ErrorCode::Internal, why.to_string());
        Ok(Self {
            public: builder()?.dns_resolver(PublicResolver).build().map_err(failed)?,
            unrestricted: builder()?.build().map_err(failed)?,
        })
    }

    /// The client for a target that may be private, or may not.
    #[must_use]
    pub const fn for_target(&self, allow_private: bool) -> &Client {
        if allow_private { &self.unrestricted } else { &self.public }
    }
}

/// The private address that a request did not reach, if that is why it failed.
#[must_use]
pub fn find_private_address(error: &reqwest::Error) -> Option<&PrivateAddress> {
    let mut cause = error.source();
    while let Some(found) = cause {
        if let Some(private) = found.downcast_ref() {
            return Some(private);
        }
        cause = found.source();
    }
    None
}

/// Describes a failed request without its address, which may be a secret. `limit` is the time limit of the request.
#[must_use]
pub fn describe_request_failure(error: &reqwest::Error, limit: Duration) -> String {
    if error.is_timeout() {
        return format!("the target did not answer within {} seconds", limit.as_secs_f64());
    }
    let mut cause = error.source();
    let mut why = "unknown cause".to_owned();
    while let Some(found) = cause {
        why = found.to_string();
        cause = found.source();
    }
    let what = if error.is_connect() { "no connection to the target" } else { "the request failed" };
    format!("{what}: {}", why.chars().take(200).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, allow_private: bool) -> Result<ServiceUrl, String> {
        ServiceUrl::parse(text, allow_private).map_err(|why| why.to_string())
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
}
