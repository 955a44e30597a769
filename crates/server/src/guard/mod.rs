//! Rejects requests from foreign web pages. Any page can send requests to 127.0.0.1 from the browser that shows it,
//! also under a host name that the page author controls (DNS rebinding). A request must therefore name a loopback host
//! or a public name of this server, and a request from a page must come from a page of this server ([`own_origins`]),
//! or of an origin that the settings name. Browsers identify the page in `Origin`, or in `Sec-Fetch-Site` where they
//! send no `Origin`, as for an image. Only origins that the settings name may frame pages. A request that names two
//! hosts is rejected, because a proxy may have checked the other one.

mod browser_headers;
mod host;
mod own_origins;
mod proxies;
mod web_origin;

pub(crate) use browser_headers::{answer_preflight, is_preflight};
pub use proxies::{BadProxy, TrustedProxy};
pub use web_origin::{BadOrigin, WebOrigin};

use crate::{connection::ConnectionOrigin, problem::ProblemResponse, public_paths};
use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, HeaderValue, Uri, header},
    middleware::{self, Next},
    response::IntoResponse,
};
use browser_headers::BrowserHeaders;
use countersign_api::ErrorCode;
use host::{is_loopback, without_default_port, without_port};
use own_origins::OwnOrigins;
pub(crate) use proxies::RequestOrigin;
use proxies::find_request_origin;
use std::sync::Arc;

/// How browsers and proxies may reach a server. By default, only clients on this machine may, under a loopback name.
#[derive(Debug, Clone, Default)]
pub struct NetworkAccess {
    /// Proxies whose client reports the server trusts.
    pub proxies: Vec<TrustedProxy>,
    /// The addresses by which clients reach the server, besides loopback names. With the port, they are the origins of its
    /// pages.
    pub public_urls: Vec<WebOrigin>,
    /// Origins whose pages may show pages of this server in a frame.
    pub frame_by: Vec<WebOrigin>,
    /// Origins whose pages may send requests and read responses.
    pub cors_origins: Vec<WebOrigin>,
}

/// The checks of every request, and the headers of every response.
#[derive(Debug)]
pub(crate) struct RequestGuard {
    access: NetworkAccess,
    pub(crate) own: OwnOrigins,
    browser_headers: BrowserHeaders,
}

/// Guards other routes on this machine in the same way: a request must name a loopback host, and must not come from a
/// page.
pub fn guard_router(router: Router) -> Router {
    let guard = Arc::new(RequestGuard::new(NetworkAccess::default(), Vec::new()));
    router.layer(middleware::from_fn(move |mut request: Request, next: Next| {
        let guard = Arc::clone(&guard);
        async move {
            match guard.check(&mut request) {
                Ok(()) => next.run(request).await,
                Err(problem) => problem.into_response(),
            }
        }
    }))
}

impl RequestGuard {
    /// Guards a server that has pages at these origins, besides its public addresses.
    pub(crate) fn new(access: NetworkAccess, local: Vec<WebOrigin>) -> Self {
        let browser_headers = BrowserHeaders::new(&access.frame_by, &access.cors_origins);
        Self { browser_headers, own: OwnOrigins::new(&access.public_urls, local), access }
    }

    /// Rejects a request with a foreign host, origin or site, and adds its [`PeerAddress`](crate::PeerAddress). It is
    /// not a middleware, because each middleware adds an allocation to every request and to every waiting client.
    pub(crate) fn check(&self, request: &mut Request) -> Result<(), ProblemResponse> {
        let (headers, uri) = (request.headers(), request.uri());
        let connection = request.extensions().get().copied().unwrap_or(ConnectionOrigin::UNKNOWN);
        let mut origin = find_request_origin(&self.access.proxies, connection, headers)?;
        require_one_host(headers, uri)?;
        if let (true, Some(authority)) = (origin.host.is_empty(), uri.authority()) {
            authority.as_str().clone_into(&mut origin.host);
        }
        let sent = headers.get(header::ORIGIN).filter(|sent| self.own.has(sent));
        let page = sent.and_then(|sent| sent.to_str().ok()).map(str::to_owned);
        origin.page_origin = page.or_else(|| self.own.at(&origin.host).map(ToString::to_string));
        self.check_host_and_origin(headers, &origin)?;
        self.check_site(headers, uri.path())?;
        request.extensions_mut().insert(origin.peer);
        request.extensions_mut().insert(origin);
        Ok(())
    }

    /// Returns the origin of the page that sent a request, if it is another origin that may read responses.
    pub(crate) fn cors_origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        self.browser_headers.cors_origin(headers)
    }

    /// Adds the headers for browsers to a response.
    pub(crate) fn add_browser_headers(&self, headers: &mut HeaderMap, cors_origin: Option<HeaderValue>) {
        self.browser_headers.add(headers, cors_origin);
    }

    /// Checks `Sec-Fetch-Site`: browsers send it with each request, other clients do not. A page on another port of
    /// this machine is `same-site`, and is treated as foreign.
    fn check_site(&self, headers: &HeaderMap, path: &str) -> Result<(), ProblemResponse> {
        let is_any_of = |name: &str, accepted: &[&str]| {
            headers
                .get(name)
                .is_some_and(|value| accepted.iter().any(|word| value.as_bytes() == word.as_bytes()))
        };
        let is_own_site = !headers.contains_key("sec-fetch-site")
            || is_any_of("sec-fetch-site", &["same-origin", "none"])
            || self.cors_origin(headers).is_some();
        // The destination must be `document`: a frame navigates too, and the foreign page controls what surrounds it.
        // If some origins may frame pages, `frame-ancestors` keeps the browser from showing one in others.
        let is_opened = is_any_of("sec-fetch-dest", &["document"])
            || (!self.access.frame_by.is_empty() && is_any_of("sec-fetch-dest", &["iframe", "frame"]));
        let is_opened_link = is_any_of("sec-fetch-mode", &["navigate"]) && is_opened;
        if is_own_site || (is_opened_link && public_paths::is_page(path)) {
            return Ok(());
        }
        Err(ProblemResponse::new(
            ErrorCode::ForeignOrigin,
            "a page of another site sent this request; the server accepts requests only from its own pages",
        ))
    }

    /// Checks the host, and the one that a proxy reports: a page under a foreign name cannot hide the name, but can add
    /// a proxy's header.
    fn check_host_and_origin(
        &self,
        headers: &HeaderMap,
        request: &RequestOrigin,
    ) -> Result<(), ProblemResponse> {
        let connected = headers.get(header::HOST).map(|host| host.to_str().unwrap_or("?"));
        let is_own = |host: &str| is_loopback(host) || self.own.has_host(without_port(host));
        if let Some(foreign) =
            [connected, Some(&request.host)].into_iter().flatten().find(|host| !is_own(host))
        {
            let detail = format!(
                "{foreign:?} is not a name of this server; use 127.0.0.1 or localhost, or add the name with --public-url"
            );
            return Err(ProblemResponse::new(ErrorCode::ForeignHost, detail));
        }
        let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
        if self.own.has(origin) || self.cors_origin(headers).is_some() {
            return Ok(());
        }
        let origin = origin.to_str().unwrap_or("?");
        let own = self.own.first().map_or_else(String::new, |own| format!(", at {own}"));
        let detail = format!(
            "a page of {origin} sent this request; the server accepts requests only from its own pages{own}"
        );
        Err(ProblemResponse::new(ErrorCode::ForeignOrigin, detail))
    }
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
