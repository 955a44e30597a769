//! The origins of this server's pages. Browsers give each origin, with its port, its own storage and passkeys, but send
//! cookies to all ports of a host. So another program on this machine must neither share the host nor be treated as a
//! page of this server.

use super::{
    host::{is_loopback, without_default_port},
    proxies::RequestOrigin,
    web_origin::WebOrigin,
};
use crate::{problem::ProblemResponse, public_paths};
use axum::http::{HeaderMap, HeaderValue, Method, Uri, header};
use countersign_api::{ErrorCode, PAGE_HOST, page_address};

/// The origins of this server's pages.
#[derive(Debug)]
pub(crate) struct OwnOrigins {
    /// The public addresses, and then those of the ports on this machine.
    origins: Vec<WebOrigin>,
    has_public: bool,
}

impl WebOrigin {
    /// Returns the page origin of a server that listens at this address; `None` for one that browsers do not reach
    /// under a name of this machine.
    #[must_use]
    pub fn of_listener(url: &str) -> Option<Self> {
        let pages = page_address(url);
        (pages != url).then(|| pages.parse().ok()).flatten()
    }
}

impl OwnOrigins {
    pub(crate) fn new(public: &[WebOrigin], local: Vec<WebOrigin>) -> Self {
        let mut origins = public.to_vec();
        origins.extend(local);
        Self { origins, has_public: !public.is_empty() }
    }

    /// The origin to which people are sent.
    pub(crate) fn first(&self) -> Option<&WebOrigin> {
        self.origins.first()
    }

    /// All origins, in `Origin` header form.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.origins.iter().map(ToString::to_string).collect()
    }

    /// Returns true if the header `Origin` names a page on this server.
    pub(crate) fn has(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|own| own.is(origin))
    }

    /// Returns the page origin at this host and port.
    pub(crate) fn at(&self, host: &str) -> Option<&WebOrigin> {
        let host = without_default_port(host);
        self.origins.iter().find(|own| own.authority().eq_ignore_ascii_case(host))
    }

    /// Returns true if a host belongs to a public address, on any port.
    pub(crate) fn has_host(&self, name: &str) -> bool {
        self.origins.iter().any(|own| own.host().eq_ignore_ascii_case(name))
    }

    /// Checks that the page on which a passkey was used belongs to this server.
    pub(crate) fn check_page(&self, origin: &str) -> Result<(), ProblemResponse> {
        if HeaderValue::from_str(origin).is_ok_and(|origin| self.has(&origin)) {
            return Ok(());
        }
        let why = "the passkey was used on a page of another server; add the address with --public-url";
        Err(ProblemResponse::new(ErrorCode::ProofInvalid, why))
    }

    /// Returns the address to which a browser is sent that opened a page under another name of this machine. Fails if no
    /// address leads to the same port.
    pub(crate) fn redirect(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        request: &RequestOrigin,
    ) -> Result<Option<String>, ProblemResponse> {
        let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
        let is_page = matches!(*method, Method::GET | Method::HEAD) && public_paths::is_page(uri.path());
        // A proxy may leave out the name that the browser used.
        let is_named = self.has_public || request.is_from_proxy || request.page_origin.is_some();
        if is_named || !is_page || !accepts.contains("text/html") || !is_loopback(&request.host) {
            return Ok(None);
        }
        let port = request.port();
        if let Some(own) = self.origins.iter().find(|own| own.port() == port) {
            let path = uri.path_and_query().map_or("/", |path| path.as_str());
            return Ok(Some(format!("{own}{path}")));
        }
        let scheme = if request.is_https { "https" } else { "http" };
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        let own = self.first().map_or_else(String::new, |own| format!("open {own}, or "));
        let detail = format!(
            "{:?} is not an address of this server's pages: {own}start it with --public-url {scheme}://{PAGE_HOST}{port}",
            request.host
        );
        Err(ProblemResponse::new(ErrorCode::ForeignHost, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listener_of_this_machine_has_an_origin() {
        let origin = |url| WebOrigin::of_listener(url).map(|origin| origin.to_string());
        assert_eq!(origin("http://127.0.0.1:7878").as_deref(), Some("http://countersign.localhost:7878"));
        assert_eq!(origin("https://[::1]:443").as_deref(), Some("https://countersign.localhost"));
        assert_eq!((origin("http://127.0.0.2:7878"), origin("unix:/run/c.sock")), (None, None));
    }

    #[test]
    fn page_of_another_port_is_foreign() {
        let own = ["https://approvals.example", "http://countersign.localhost:7878"]
            .map(|own| own.parse().expect(own));
        let own = OwnOrigins::new(&own[..1], own[1..].to_vec());
        for (origin, expected) in [
            ("https://approvals.example", true),
            ("http://countersign.localhost:7878", true),
            ("http://countersign.localhost:3000", false),
            ("http://localhost:7878", false),
            ("http://127.0.0.1:7878", false),
            ("https://approvals.example:8443", false),
            ("http://approvals.example", false),
            ("null", false),
        ] {
            assert_eq!(own.has(&HeaderValue::from_static(origin)), expected, "{origin}");
            assert_eq!(own.check_page(origin).is_ok(), expected, "{origin}");
        }
        let at = |host| own.at(host).map(ToString::to_string);
        assert_eq!(at("Approvals.example:443").as_deref(), Some("https://approvals.example"));
        assert_eq!(at("countersign.localhost:7878").as_deref(), Some("http://countersign.localhost:7878"));
        assert_eq!(at("countersign.localhost:3000"), None);
    }
}
