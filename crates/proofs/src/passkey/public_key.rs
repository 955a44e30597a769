//! Passkey public keys, each with its credential and its site.

use super::{cbor::CborValue, cose::read_cose_key};
use crate::{
    base64url::{decode_url, encode_url},
    public_key::PublicKey,
};
use countersign_events::Sha256;
use std::fmt;

/// The keyword before a passkey, where an SSH key has its type.
pub(crate) const PASSKEY: &str = "passkey";

/// The maximum length of a passkey as a string. A credential id has up to 1,023 bytes, and an RSA key 600.
const MAX_LINE_BYTES: usize = 4_096;

/// The maximum length of a site name, as in DNS.
const MAX_NAME_BYTES: usize = 253;

/// A passkey: the site, the credential id, and the public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyPublicKey {
    pub(super) relying_party: String,
    credential_id: Vec<u8>,
    cose: Vec<u8>,
    pub(super) key: PublicKey,
}

/// The string is not a passkey.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadPasskey(String);

impl PasskeyPublicKey {
    /// Reads `passkey SITE CREDENTIAL KEY`, the last two in base64url; the key is in COSE.
    pub fn parse(line: &str) -> Result<Self, BadPasskey> {
        let bad = |why: &str| BadPasskey(why.to_owned());
        if line.len() > MAX_LINE_BYTES {
            return Err(BadPasskey(format!("the passkey is longer than {MAX_LINE_BYTES} bytes")));
        }
        let words: Vec<_> = line.split_whitespace().collect();
        let [PASSKEY, relying_party, credential, cose] = words.as_slice() else {
            return Err(bad("a passkey is \"passkey SITE CREDENTIAL KEY\", as a key list prints it"));
        };
        let (Some(credential_id), Some(cose)) = (decode_url(credential), decode_url(cose)) else {
            return Err(bad("the credential and the key of a passkey are base64url"));
        };
        Self::new(relying_party, &credential_id, &cose)
    }

    pub(super) fn new(relying_party: &str, credential_id: &[u8], cose: &[u8]) -> Result<Self, BadPasskey> {
        let bad = |why: &str| BadPasskey(why.to_owned());
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
        if relying_party.is_empty()
            || relying_party.len() > MAX_NAME_BYTES
            || !relying_party.bytes().all(is_name)
        {
            return Err(bad("the site of a passkey is a host name in small letters"));
        }
        if credential_id.is_empty() || credential_id.len() > 1_023 {
            return Err(bad("the id of a credential has 1 to 1,023 bytes"));
        }
        let key = CborValue::read(cose).filter(|(_, rest)| rest.is_empty());
        let key = key.and_then(|(key, _)| read_cose_key(&key));
        let key =
            key.ok_or_else(|| bad("the passkey is not of ES256, EdDSA or RS256; use another authenticator"))?;
        let key = key.require_strong().map_err(bad)?;
        Ok(Self {
            relying_party: relying_party.to_owned(),
            credential_id: credential_id.to_vec(),
            cose: cose.to_vec(),
            key,
        })
    }

    /// The SHA-256 of the string form, which also covers the site and the credential.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        Sha256::digest(self.to_string().as_bytes())
    }

    /// The site's host name.
    #[must_use]
    pub fn relying_party(&self) -> &str {
        &self.relying_party
    }

    /// The credential id in base64url, as a browser names it.
    #[must_use]
    pub fn credential_id(&self) -> String {
        encode_url(&self.credential_id)
    }
}

impl fmt::Display for PasskeyPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (credential, cose) = (encode_url(&self.credential_id), encode_url(&self.cose));
        write!(f, "{PASSKEY} {} {credential} {cose}", self.relying_party)
    }
}

/// Returns true if pages of this origin may use passkeys of the site: the host is the site itself, with HTTPS. Without
/// HTTPS, only the machine itself is accepted. The caller knows which ports are its own.
#[must_use]
pub fn is_origin_of(origin: &str, relying_party: &str) -> bool {
    let is_local = relying_party == "localhost" || relying_party.ends_with(".localhost");
    split_origin(origin)
        .is_some_and(|(scheme, host)| host == relying_party && (scheme == "https" || is_local))
}

/// Returns true if this is an origin as browsers write it: `https://approvals.example`, with a port if it is not the
/// default one.
#[must_use]
pub fn is_web_origin(origin: &str) -> bool {
    split_origin(origin).is_some_and(|(_, host)| !host.is_empty() && host.len() <= MAX_NAME_BYTES)
}

/// The scheme and host of an origin. The host contains only characters of names and addresses.
fn split_origin(origin: &str) -> Option<(&str, &str)> {
    let (scheme, rest) =
        origin.split_once("://").filter(|(scheme, _)| matches!(*scheme, "https" | "http"))?;
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (rest, "443"),
    };
    let is_host = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._[:]".contains(&byte);
    let is_port = (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    (is_port && host.bytes().all(is_host)).then_some((scheme, host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_site_itself_is_an_origin() {
        for (origin, site, expected) in [
            ("https://example.com", "example.com", true),
            ("https://example.com:8443", "example.com", true),
            ("http://localhost:7878", "localhost", true),
            ("http://countersign.localhost:7878", "countersign.localhost", true),
            ("http://countersign.localhost:7878", "localhost", false),
            ("http://localhost.example.com", "localhost.example.com", false),
            ("http://example.com", "example.com", false),
            ("https://evil.example.com", "example.com", false),
            ("https://example.com.evil.net", "example.com", false),
            ("https://example.com:1/x", "example.com", false),
            ("https://example.com@evil.net", "example.com", false),
            ("ftp://example.com", "example.com", false),
            ("null", "example.com", false),
        ] {
            assert_eq!(is_origin_of(origin, site), expected, "{origin}");
        }
    }

    #[test]
    fn web_origin_has_no_path_and_no_name() {
        for origin in ["https://a.example", "http://127.0.0.1:80", "http://[::1]:7878", "http://[::1]"] {
            assert!(is_web_origin(origin), "{origin}");
        }
        for other in [
            "",
            "null",
            "https://",
            "https://a.example/",
            "https://a.example:x",
            "https://A.example",
            "file://",
        ] {
            assert!(!is_web_origin(other), "{other}");
        }
    }
}
