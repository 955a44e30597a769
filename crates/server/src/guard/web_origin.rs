//! The origins of web pages, as settings name them and as browsers send them.

use super::host::port_of;
use axum::http::{HeaderValue, Uri};
use std::{fmt, str::FromStr};

/// A web page's origin: `https://approvals.example`, or with a port, `http://127.0.0.1:5173`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOrigin {
    /// In `Origin` header form: in lower case, without the default port.
    text: String,
    host: String,
}

/// The error for a string that is not a [`WebOrigin`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "an origin is http:// or https:// and a host in ASCII, with a port if it is not the default one, and has no path: \
     https://approvals.example"
)]
pub struct BadOrigin;

impl FromStr for WebOrigin {
    type Err = BadOrigin;

    fn from_str(text: &str) -> Result<Self, BadOrigin> {
        let uri: Uri = text.parse().map_err(|_| BadOrigin)?;
        let scheme =
            uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https")).ok_or(BadOrigin)?;
        let authority = uri.authority().ok_or(BadOrigin)?;
        let is_whole = matches!(uri.path(), "" | "/") && uri.query().is_none() && !text.contains('#');
        // A port that cannot be read is left out, so the rest would look like a host alone.
        let has_odd_port = authority.port().is_none() && authority.as_str() != authority.host();
        if !is_whole || has_odd_port || authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(BadOrigin);
        }
        let host = authority.host().to_ascii_lowercase();
        let port = authority.port_u16().filter(|port| *port != default_port(scheme));
        let text =
            port.map_or_else(|| format!("{scheme}://{host}"), |port| format!("{scheme}://{host}:{port}"));
        Ok(Self { text, host })
    }
}

const fn default_port(scheme: &str) -> u16 {
    // A scheme is `http` or `https`.
    if scheme.len() == 5 { 443 } else { 80 }
}

impl WebOrigin {
    /// Returns the host in lower case, without the port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the host, and the port if it is not the default one.
    pub(crate) fn authority(&self) -> &str {
        self.text.split_once("://").map_or("", |(_, authority)| authority)
    }

    /// Returns the port; `None` for the default one.
    pub(crate) fn port(&self) -> Option<&str> {
        port_of(self.authority())
    }

    /// Returns true if the header `Origin` names this origin. Browsers send it in this type's form.
    #[must_use]
    pub fn is(&self, header: &HeaderValue) -> bool {
        header.as_bytes() == self.text.as_bytes()
    }
}

impl fmt::Display for WebOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_has_the_form_that_browsers_send() {
        for (text, origin, host) in [
            ("https://approvals.example", "https://approvals.example", "approvals.example"),
            ("https://Approvals.Example:443/", "https://approvals.example", "approvals.example"),
            ("http://127.0.0.1:5173", "http://127.0.0.1:5173", "127.0.0.1"),
            ("http://[::1]:80", "http://[::1]", "[::1]"),
            ("http://a.example:443", "http://a.example:443", "a.example"),
        ] {
            let read: WebOrigin = text.parse().expect(text);
            assert_eq!((read.to_string().as_str(), read.host()), (origin, host));
            assert!(read.is(&HeaderValue::from_static(origin)));
        }
    }

    #[test]
    fn text_that_is_no_origin_is_rejected() {
        for text in [
            "",
            "approvals.example",
            "ftp://approvals.example",
            "https://",
            "https://a.example/path",
            "https://a.example?x",
            "https://a.example#x",
            "https://user@a.example",
            "https://a.example:99999",
            "null",
            "*",
        ] {
            assert_eq!(text.parse::<WebOrigin>(), Err(BadOrigin), "{text:?}");
        }
    }
}
