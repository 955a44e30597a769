//! The extractor of the site to which passkeys are bound.

use crate::{guard::RequestOrigin, problem::ProblemResponse};
use axum::{
    extract::FromRequestParts,
    http::{header, request::Parts},
};
use std::net::IpAddr;

/// The site to which passkeys are bound: the host name under which the browser opened the page. The guard has checked that
/// it is a name of this server.
pub(crate) struct PasskeySite(Result<String, ProblemResponse>);

impl PasskeySite {
    /// The host name. Fails for an address, which no browser accepts.
    pub(crate) fn name(self) -> Result<String, ProblemResponse> {
        self.0
    }
}

impl<S: Sync> FromRequestParts<S> for PasskeySite {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let forwarded =
            parts.extensions.get::<RequestOrigin>().and_then(|origin| origin.forwarded_host.as_deref());
        let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        Ok(Self(site_of(forwarded.or(host).unwrap_or_default())))
    }
}

fn site_of(host: &str) -> Result<String, ProblemResponse> {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, format!(":{port}")),
        _ => (host, String::new()),
    };
    let is_address = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    if is_address || name.is_empty() {
        let why = format!(
            "passkeys need a host name instead of an IP address: open http://localhost{port}/settings"
        );
        return Err(ProblemResponse::invalid(why));
    }
    Ok(name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_a_host_name_without_port() {
        let site = |host| site_of(host).ok();
        assert_eq!(site("localhost:7878").as_deref(), Some("localhost"));
        assert_eq!(site("Approvals.example").as_deref(), Some("approvals.example"));
        for address in ["127.0.0.1:7878", "127.0.0.1", "[::1]:7878", "[::1]", ""] {
            assert_eq!(site(address), None, "{address}");
        }
    }
}
