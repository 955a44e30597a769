//! Rejects requests of foreign web pages. Any page can send requests to 127.0.0.1 from the browser that shows it, also
//! under a host name that the page's author controls (DNS rebinding). A request must therefore name a loopback host,
//! and a request from a page must come from a page of this server. Browsers identify the page in `Origin`, or in
//! `Sec-Fetch-Site` where they send no `Origin`, as for an image. Pages may not frame responses either. A request that
//! names two hosts is rejected, because a proxy may have checked the other one.

use crate::problem::ProblemResponse;
use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Uri, header},
};
use countersign_api::ErrorCode;
use std::net::IpAddr;

/// The paths of pages for people. They change nothing, so a link on any page may lead to them.
const PUBLIC_PATHS: [&str; 3] = ["/", "/docs", "/docs/"];

/// The headers that forbid browsers to show a response in a frame, or to guess another content type.
const BROWSER_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("frame-ancestors 'none'")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

/// Adds the headers for browsers to a response.
pub(crate) fn add_browser_headers(headers: &mut HeaderMap) {
    headers.extend(BROWSER_HEADERS);
}

/// Rejects a request with a foreign host, origin or site. It is a function and not a middleware, because each middleware
/// adds an allocation to every request and to every waiting client.
pub(crate) fn check_foreign_pages(request: &Request) -> Result<(), ProblemResponse> {
    let (headers, uri) = (request.headers(), request.uri());
    require_one_host(headers, uri)?;
    check_host_and_origin(headers, uri.host())?;
    check_site(headers, uri.path())
}

/// Checks `Sec-Fetch-Site`: browsers send it with each request, other clients do not. A page on another port of this
/// machine is `same-site` and counts as foreign.
fn check_site(headers: &HeaderMap, path: &str) -> Result<(), ProblemResponse> {
    let is_any_of = |name: &str, accepted: &[&str]| {
        headers.get(name).is_some_and(|value| accepted.iter().any(|word| value.as_bytes() == word.as_bytes()))
    };
    let is_own_site =
        !headers.contains_key("sec-fetch-site") || is_any_of("sec-fetch-site", &["same-origin", "none"]);
    // The destination must be `document`: a frame navigates too, and the foreign page controls what surrounds it.
    let is_opened_link =
        is_any_of("sec-fetch-mode", &["navigate"]) && is_any_of("sec-fetch-dest", &["document"]);
    if is_own_site || (is_opened_link && PUBLIC_PATHS.contains(&path)) {
        return Ok(());
    }
    Err(ProblemResponse::new(
        ErrorCode::ForeignOrigin,
        "a page of another site sent this request; the server accepts requests only from its own pages",
    ))
}

/// Requires that the request names one host: a proxy before this server may have checked the other one.
fn require_one_host(headers: &HeaderMap, uri: &Uri) -> Result<(), ProblemResponse> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (host, second) = (hosts.next(), hosts.next());
    if second.is_some() {
        return Err(ProblemResponse::new(ErrorCode::BadHost, "the request has more than one Host header"));
    }
    let (Some(authority), Some(host)) = (uri.authority(), host) else { return Ok(()) };
    let host = host.to_str().unwrap_or("?");
    if without_default_port(authority.as_str()).eq_ignore_ascii_case(without_default_port(host)) {
        return Ok(());
    }
    let detail =
        format!("the request line names the host {:?}, and the header Host {host:?}", authority.as_str());
    Err(ProblemResponse::new(ErrorCode::BadHost, detail))
}

fn without_default_port(authority: &str) -> &str {
    authority.strip_suffix(":80").unwrap_or(authority)
}

fn check_host_and_origin(headers: &HeaderMap, uri_host: Option<&str>) -> Result<(), ProblemResponse> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(header::HOST).or(uri_host).unwrap_or("");
    if !is_loopback(host) {
        let detail = format!(
            "this server serves its own machine only, and {host:?} is another; use 127.0.0.1 or localhost"
        );
        return Err(ProblemResponse::new(ErrorCode::ForeignHost, detail));
    }
    match text(header::ORIGIN) {
        Some(origin) if origin.strip_prefix("http://") != Some(host) => {
            let detail = format!(
                "a page of {origin} sent this request; the server accepts requests only from its own pages"
            );
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
