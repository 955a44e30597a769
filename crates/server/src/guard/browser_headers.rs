//! The headers that tell browsers what pages may do with a response, and the answers to preflight requests.

use super::web_origin::WebOrigin;
use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};

/// The policy for this server's pages without its last directive, `frame-ancestors`. Pages load only files from this
/// server and contain no inline code or styles.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                              connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors";

/// The headers that a page of another origin may send.
const CORS_REQUEST_HEADERS: &str = "accept, authorization, content-type, countersign-principal, if-none-match, \
                                    last-event-id, prefer, x-request-id";

/// The response headers that a page from another origin may read.
const CORS_RESPONSE_HEADERS: &str = "etag, preference-applied, retry-after, x-request-id";

/// The headers for browsers, as a server's settings have them.
#[derive(Debug)]
pub(super) struct BrowserHeaders {
    content_policy: HeaderValue,
    /// Other origins may show pages in frames, so `X-Frame-Options`, which cannot name them, is absent.
    is_framed: bool,
    cors_origins: Vec<WebOrigin>,
}

impl BrowserHeaders {
    pub(super) fn new(frame_by: &[WebOrigin], cors_origins: &[WebOrigin]) -> Self {
        let framing: Vec<_> = frame_by.iter().map(ToString::to_string).collect();
        let framing = if framing.is_empty() { "'none'".to_owned() } else { framing.join(" ") };
        // An origin consists of ASCII, so this always succeeds.
        let content_policy = HeaderValue::try_from(format!("{CONTENT_POLICY} {framing}"))
            .unwrap_or(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
        Self { content_policy, is_framed: !frame_by.is_empty(), cors_origins: cors_origins.to_vec() }
    }

    /// Returns the origin of the page that sent a request, if it is another origin that may read responses.
    pub(super) fn cors_origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(header::ORIGIN)?;
        self.cors_origins.iter().any(|allowed| allowed.is(origin)).then(|| origin.clone())
    }

    /// Adds the headers to a response to a page of `cors_origin`, or to another client.
    pub(super) fn add(&self, headers: &mut HeaderMap, cors_origin: Option<HeaderValue>) {
        const DENY: (HeaderName, HeaderValue) = (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        headers.extend([
            (header::CONTENT_SECURITY_POLICY, self.content_policy.clone()),
            (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        ]);
        headers.extend((!self.is_framed).then_some(DENY));
        if !self.cors_origins.is_empty() {
            headers.append(header::VARY, HeaderValue::from_static("origin"));
        }
        if let Some(origin) = cors_origin {
            let readable = HeaderValue::from_static(CORS_RESPONSE_HEADERS);
            headers.extend([
                (header::ACCESS_CONTROL_ALLOW_ORIGIN, origin),
                (header::ACCESS_CONTROL_EXPOSE_HEADERS, readable),
            ]);
        }
    }
}

/// Returns true if a browser asks whether a page may send a request.
pub(crate) fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a preflight request from an origin that may send requests.
pub(crate) fn answer_preflight() -> Response {
    let headers = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, DELETE"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, CORS_REQUEST_HEADERS),
        (header::ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}
