//! The browser interface: its files, and the document of its pages.

use crate::{
    AppState,
    extract::{IfNoneMatch, not_modified, short_hash, with_tag},
    problem::unknown_route,
    public_paths::needs_caller,
};
use axum::{
    Router,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{Html, IntoResponse, Redirect, Response},
    routing::get,
};
use countersign_events::Sha256;
use countersign_web::{APP_PAGE, FILES, WebFile};

/// Creates the file routes. Browsers keep the files and ask if they have changed.
pub(super) fn files() -> Router<AppState> {
    FILES.iter().fold(Router::new(), |router, file| {
        let tag = format!("\"{}\"", short_hash(Sha256::digest(file.content)));
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

/// The page paths. `/` is not among them, because it answers other clients too.
const PATHS: [&str; 7] = [
    "/calls/{thread}/{id}",
    "/threads/",
    "/threads/{thread}",
    "/history",
    "/insight",
    "/policy",
    "/settings",
];

/// Creates the page routes. All have the same document, whose scripts show the page that the address names.
pub(super) fn pages() -> Router<AppState> {
    let start = Router::new().route("/threads", get(async || Redirect::permanent("/threads/")));
    PATHS.into_iter().fold(start, |router, path| router.route(path, get(send_page)))
}

async fn send_page(headers: HeaderMap, uri: Uri) -> Response {
    match app_page(&headers) {
        Some(page) => page,
        None => unknown_route(uri).await.into_response(),
    }
}

/// The answer to an address that does not exist. A person who reads it in a browser gets a page, which says so.
pub(crate) async fn send_unknown(method: Method, headers: HeaderMap, uri: Uri) -> Response {
    let page = app_page(&headers).filter(|_| method == Method::GET && !needs_caller(uri.path()));
    match page {
        Some(page) => (StatusCode::NOT_FOUND, page).into_response(),
        None => unknown_route(uri).await.into_response(),
    }
}

/// Returns the page document to a browser; `None` to a client that does not ask for a page.
pub(super) fn app_page(headers: &HeaderMap) -> Option<Response> {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.contains("text/html").then(|| Html(APP_PAGE).into_response())
}
