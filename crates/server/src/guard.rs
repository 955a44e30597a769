//! Rejects requests of foreign web pages. Any page may send requests to 127.0.0.1 from the browser that shows it,
//! and a name that its author controls may lead there too (DNS rebinding): so a request must name a
//! loopback host, and one that a page sent must come from this server's own. Browsers tell with `Origin`,
//! and where they send none, as for an image, with `Sec-Fetch-Site`. No page may frame an answer either.

use crate::problem::ProblemResponse;
use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use countersign_api::ErrorCode;
use std::net::IpAddr;

/// What is there for people to look at, and does nothing: a link on any page may lead to it.
const PUBLIC_PATHS: [&str; 3] = ["/", "/docs", "/docs/"];

/// What every answer says to a browser: show it nowhere but by itself, and take it for nothing but what it
/// is said to be.
const BROWSER_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("frame-ancestors 'none'")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

/// Puts on an answer what browsers are to be told.
pub(crate) fn add_browser_headers(headers: &mut HeaderMap) {
    headers.extend(BROWSER_HEADERS);
}

pub(crate) async fn reject_foreign_pages(request: Request, next: Next) -> Response {
    let (headers, uri) = (request.headers(), request.uri());
    match check_host_and_origin(headers, uri.host()).and_then(|()| check_site(headers, uri.path())) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// Browsers say of each request how its origin stands to this server; other clients send no such header. Another
/// port of this machine is the `same-site`, and as foreign as any.
fn check_site(headers: &HeaderMap, path: &str) -> Result<(), ProblemResponse> {
    let is = |name: &str, what: &[&str]| {
        headers.get(name).is_some_and(|value| what.iter().any(|one| value.as_bytes() == one.as_bytes()))
    };
    let ours = !headers.contains_key("sec-fetch-site") || is("sec-fetch-site", &["same-origin", "none"]);
    // A frame is navigated, too, and its page shows around it what it likes.
    let opened = is("sec-fetch-mode", &["navigate"]) && is("sec-fetch-dest", &["document"]);
    if ours || (opened && PUBLIC_PATHS.contains(&path)) {
        return Ok(());
    }
    Err(ProblemResponse::new(
        ErrorCode::ForeignOrigin,
        "a page of another site sent this, and pages may not ask anything here",
    ))
}

fn check_host_and_origin(headers: &HeaderMap, in_uri: Option<&str>) -> Result<(), ProblemResponse> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(header::HOST).or(in_uri).unwrap_or("");
    if !is_loopback(host) {
        let detail = format!(
            "this server serves its own machine only, and {host:?} is another; use 127.0.0.1 or localhost"
        );
        return Err(ProblemResponse::new(ErrorCode::ForeignHost, detail));
    }
    match text(header::ORIGIN) {
        Some(origin) if origin.strip_prefix("http://") != Some(host) => {
            let detail = format!("a page of {origin} sent this, and pages may not decide");
            Err(ProblemResponse::new(ErrorCode::ForeignOrigin, detail))
        }
        _ => Ok(()),
    }
}

fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_its_own_names() {
        for host in ["127.0.0.1", "127.0.0.1:7878", "localhost:80", "[::1]:7878", "[::1]", "LOCALHOST"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in
            ["", "evil.example", "127.0.0.1.evil.example:7878", "localhost.evil", "10.0.0.1", "0.0.0.0"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
