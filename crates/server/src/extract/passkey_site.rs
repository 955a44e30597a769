//! Extracts the site to which passkeys are bound.

use crate::{AppState, guard::RequestOrigin, problem::ProblemResponse};
use axum::{extract::FromRequestParts, http::request::Parts};
use std::net::IpAddr;

/// The site to which passkeys are bound: the host name of the page of this server that the browser has opened.
pub(crate) struct PasskeySite(Result<String, ProblemResponse>);

impl PasskeySite {
    /// The host name. Fails for an address, which no browser accepts, and for a name under which the server has no pages.
    pub(crate) fn name(self) -> Result<String, ProblemResponse> {
        self.0
    }
}

impl FromRequestParts<AppState> for PasskeySite {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ProblemResponse> {
        let origin = parts.extensions.get::<RequestOrigin>().and_then(|origin| origin.page_origin.as_deref());
        let site = origin.and_then(site_of).ok_or_else(|| {
            let pages =
                app.guard.own.first().map_or_else(String::new, |own| format!(": open {own}/settings"));
            ProblemResponse::invalid(format!("passkeys need the host name of a page of this server{pages}"))
        });
        Ok(Self(site))
    }
}

/// The host name of an origin; `None` for an address.
fn site_of(origin: &str) -> Option<String> {
    let (_, authority) = origin.split_once("://")?;
    let name = authority.split_once(':').map_or(authority, |(name, _)| name);
    let is_address = authority.starts_with('[') || name.parse::<IpAddr>().is_ok();
    (!is_address && !name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_a_host_name_without_port() {
        for (origin, site) in [
            ("http://countersign.localhost:7878", Some("countersign.localhost")),
            ("https://approvals.example", Some("approvals.example")),
            ("http://127.0.0.1:7878", None),
            ("http://[::1]:7878", None),
            ("http://[::1]", None),
        ] {
            assert_eq!(site_of(origin).as_deref(), site, "{origin}");
        }
    }
}
