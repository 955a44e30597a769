//! Keeps web pages out. Anybody's page may send requests to 127.0.0.1 from the browser that shows it,
//! and a name that its author controls may lead there too (DNS rebinding): so a request must name a
//! loopback host, and one that a page sent (it carries `Origin`) must come from this server's own.

use crate::problem::Problem;
use axum::{
    extract::Request,
    http::{HeaderMap, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::net::IpAddr;

pub(crate) async fn turn_away_pages(request: Request, next: Next) -> Response {
    match check(request.headers(), request.uri().host()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn check(headers: &HeaderMap, in_uri: Option<&str>) -> Result<(), Problem> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(header::HOST).or(in_uri).unwrap_or("");
    if !is_loopback(host) {
        let detail = format!(
            "this server is for its own machine, and {host:?} is not a name of that; use 127.0.0.1 or localhost"
        );
        return Err(Problem::new("foreign_host", detail));
    }
    match text(header::ORIGIN) {
        Some(origin) if origin.strip_prefix("http://") != Some(host) => {
            let detail = format!("a page of {origin} sent this, and pages may not decide");
            Err(Problem::new("foreign_origin", detail))
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
