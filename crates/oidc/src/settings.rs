//! Provider settings.

use crate::claim_mapping::ClaimMapping;
use countersign_events::SecretValue;
use std::fmt;
use url::{Host, Url};

/// Provider settings, checked.
#[derive(Clone)]
pub struct ProviderSettings {
    /// The provider's address, exactly as its document spells it.
    pub(crate) issuer: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: SecretValue<String>,
    /// The scopes besides `openid`.
    pub(crate) scopes: Vec<String>,
    pub(crate) claims: ClaimMapping,
    pub(crate) label: String,
}

/// A setting is not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(String);

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSettings")
            .field("issuer", &self.issuer)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

/// The name under which the provider knows the server, and its secret.
pub struct ClientCredentials {
    /// The client id.
    pub client_id: String,
    /// The client secret.
    pub client_secret: SecretValue<String>,
}

impl ProviderSettings {
    /// Checks the settings. The issuer must use https, except on this machine. Without scopes, `email` and `profile`
    /// are asked for. Without a label, the page names the provider's host.
    pub fn new(
        issuer: &str,
        ClientCredentials { client_id, client_secret }: ClientCredentials,
        scopes: Option<Vec<String>>,
        claims: ClaimMapping,
        label: Option<String>,
    ) -> Result<Self, BadSettings> {
        let bad = |why: &str| BadSettings(why.to_owned());
        let url = Url::parse(issuer)
            .map_err(|_| bad("the issuer is not a URL such as https://login.example.com"))?;
        let is_local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        };
        if url.scheme() != "https" && !(url.scheme() == "http" && is_local) {
            return Err(bad(
                "the issuer must begin with https://; only a provider on this machine may use http://",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
            return Err(bad("the issuer must be an address without a query, a fragment or a user name"));
        }
        if client_id.is_empty() || client_secret.expose().is_empty() {
            return Err(bad("the client needs an id and a secret"));
        }
        let scopes = scopes.unwrap_or_else(|| ["email", "profile"].map(str::to_owned).to_vec());
        let label = label.unwrap_or_else(|| url.host_str().unwrap_or("the identity provider").to_owned());
        Ok(Self { issuer: issuer.to_owned(), client_id, client_secret, scopes, claims, label })
    }

    /// Returns true if the provider is on this machine and uses no TLS.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.issuer.starts_with("http://")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuer_without_tls_is_local() {
        let rules = || [vec!["approver=sub:*".parse().expect("a rule")], Vec::new(), Vec::new()];
        let settings = |issuer: &str| {
            let claims = ClaimMapping::new(None, rules(), Vec::new()).expect("a mapping");
            let credentials =
                ClientCredentials { client_id: "id".to_owned(), client_secret: "secret".into() };
            ProviderSettings::new(issuer, credentials, None, claims, None)
        };
        for good in [
            "https://login.example.com",
            "http://127.0.0.1:8080",
            "http://localhost/realms/a",
            "http://[::1]:1",
        ] {
            assert!(settings(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "login.example.com",
            "http://login.example.com",
            "http://127.0.0.1.evil.example",
            "file:///etc",
            "https://a.example?x",
            "https://a.example#x",
            "https://user@a.example",
        ] {
            assert!(settings(bad).is_err(), "{bad}");
        }
        let shown = format!("{:?}", settings("https://login.example.com"));
        assert!(!shown.contains("\"secret\""), "{shown}");
    }
}
