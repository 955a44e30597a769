//! A server address on streamable HTTP, and the headers of each request to it.

use countersign_client::without_password;
use reqwest::{
    Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use std::net::IpAddr;

/// The most headers, and the longest address and header in bytes.
const MAX_HEADERS: usize = 64;
const MAX_BYTES: usize = 8 * 1024;

/// Headers that the gateway sets itself.
const OWN_HEADERS: &[&str] = &[
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

/// A server on streamable HTTP.
#[derive(Debug, Clone)]
pub struct HttpTarget {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
}

/// The reason why a server cannot be addressed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadHttpTarget {
    /// The text is not an address.
    #[error("{0:?} is not the address of a server; use an address such as https://mcp.example.com/mcp")]
    Url(String),
    /// The connection would not be encrypted.
    #[error("{0:?} is not encrypted, and not on this machine; use https")]
    NotEncrypted(String),
    /// A header is not valid. Its value may be a secret.
    #[error("the header {0:?} is not valid; write NAME: VALUE, without control characters")]
    Header(String),
    /// The gateway sets this header itself.
    #[error("the header {0:?} is set by the gateway itself; remove it")]
    OwnHeader(String),
    /// There are too many headers.
    #[error("a server has at most {MAX_HEADERS} headers")]
    TooManyHeaders,
}

impl HttpTarget {
    /// Reads an address. Without TLS, only this machine is permitted: headers often contain secrets.
    pub fn new(url: &str) -> Result<Self, BadHttpTarget> {
        let shown = || without_password(url);
        let parsed = Url::parse(url.trim()).ok().filter(|_| url.len() <= MAX_BYTES);
        let mut parsed = parsed.ok_or_else(|| BadHttpTarget::Url(shown()))?;
        parsed.set_fragment(None);
        let target = Self { url: parsed, headers: HeaderMap::new() };
        match target.url.scheme() {
            "https" => Ok(target),
            "http" if target.is_local() => Ok(target),
            "http" => Err(BadHttpTarget::NotEncrypted(shown())),
            _ => Err(BadHttpTarget::Url(shown())),
        }
    }

    /// Adds a header to each request.
    pub fn add_header(&mut self, name: &str, value: &str) -> Result<(), BadHttpTarget> {
        let bad = || BadHttpTarget::Header(name.to_owned());
        let parsed = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| bad())?;
        if OWN_HEADERS.contains(&parsed.as_str()) || parsed.as_str().starts_with("mcp-param-") {
            return Err(BadHttpTarget::OwnHeader(name.to_owned()));
        }
        if self.headers.len() >= MAX_HEADERS {
            return Err(BadHttpTarget::TooManyHeaders);
        }
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| bad())?;
        if value.len() > MAX_BYTES {
            return Err(bad());
        }
        value.set_sensitive(true);
        self.headers.insert(parsed, value);
        Ok(())
    }

    /// Returns true if the server is on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }

    /// The address without secrets, for messages.
    pub(crate) fn shown(&self) -> String {
        self.url.origin().ascii_serialization()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_reached_without_tls() {
        for url in [
            "https://mcp.example.com/mcp",
            "http://127.0.0.1:3001/mcp",
            "http://[::1]:1/",
            "http://localhost",
        ] {
            assert!(HttpTarget::new(url).is_ok(), "{url}");
        }
        for url in
            ["http://mcp.example.com", "http://localhost.example.com", "ftp://127.0.0.1", "x", "", "unix:/a"]
        {
            assert!(HttpTarget::new(url).is_err(), "{url}");
        }
        let error = HttpTarget::new("http://u:secret@h.example").expect_err("not encrypted").to_string();
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn headers_cannot_break_the_protocol() {
        let mut target = HttpTarget::new("https://h.example").expect("valid");
        target.add_header("Authorization", " Bearer x ").expect("valid");
        assert_eq!(target.headers["authorization"], "Bearer x");
        for (name, value) in
            [("a b", "x"), ("a", "x\r\nb: y"), ("Mcp-Session-Id", "1"), ("Mcp-Param-X", "1"), ("", "x")]
        {
            assert!(target.add_header(name, value).is_err(), "{name}");
        }
    }
}
