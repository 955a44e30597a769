//! The files of the inbox, the browser interface.

use crate::{
    AppState,
    extract::{IfNoneMatch, not_modified, short_hash, with_tag},
};
use axum::{
    Router,
    http::{HeaderMap, HeaderValue, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use countersign_gate::Sha256;
use countersign_web::{FILES, INBOX_PAGE, WebFile};

/// Creates the routes of the files. Browsers keep them and ask if they have changed.
pub(super) fn files() -> Router<AppState> {
    FILES.iter().fold(Router::new(), |router, file| {
        let tag = format!("\"{}\"", short_hash(Sha256::digest(file.content.as_bytes())));
        router
            .route(&format!("/assets/{}", file.path), get(async move |cached| send_file(file, &tag, &cached)))
    })
}

fn send_file(file: &WebFile, tag: &str, cached: &IfNoneMatch) -> Response {
    if cached.has(tag) {
        return not_modified(tag);
    }
    with_tag(tag, ([(header::CONTENT_TYPE, HeaderValue::from_static(file.kind))], file.content))
}

/// Returns the page of the inbox to a browser; `None` to a client that does not ask for a page.
pub(super) fn inbox_page(headers: &HeaderMap) -> Option<Response> {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.contains("text/html").then(|| Html(INBOX_PAGE).into_response())
}
