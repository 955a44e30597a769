//! `GET /openapi.json`, and the pages: `/docs` to try the API, `/sign-in/`, `/keys/`, and one for each call.

use crate::{
    AppState,
    extract::{IfNoneMatch, not_modified, with_tag},
};
use axum::{
    Router,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};

/// The header of a page.
const HTML: [(header::HeaderName, HeaderValue); 1] =
    [(header::CONTENT_TYPE, HeaderValue::from_static("text/html"))];

/// The files of the pages: the name, the type and the content.
const PAGE_FILES: [(&str, &str, &str); 9] = [
    ("/docs/", "text/html", include_str!("page/index.html")),
    ("/docs/page.css", "text/css", include_str!("page/page.css")),
    ("/docs/page.js", "text/javascript", include_str!("page/page.js")),
    ("/keys/", "text/html", include_str!("keys_page/index.html")),
    ("/keys/page.js", "text/javascript", include_str!("keys_page/page.js")),
    ("/keys/passkeys.js", "text/javascript", include_str!("keys_page/passkeys.js")),
    ("/calls/page.css", "text/css", include_str!("call_page/page.css")),
    ("/calls/page.js", "text/javascript", include_str!("call_page/page.js")),
    ("/calls/text.js", "text/javascript", include_str!("call_page/text.js")),
];

/// Returns this document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "getDocument",
    tag = "service",
    params(IfNoneMatch),
    responses(
        (status = 200, description = "The OpenAPI 3.1 document of the API.", body = Object, headers(
            ("etag" = String, description = "The tag of the document, for `If-None-Match`."),
        )),
        IfNoneMatch
    )
)]
pub(super) async fn document(State(app): State<AppState>, cached: IfNoneMatch) -> Response {
    let tag = &app.document.tag;
    if cached.has(tag) {
        return not_modified(tag);
    }
    let json = const { HeaderValue::from_static("application/json") };
    with_tag(tag, ([(header::CONTENT_TYPE, json)], app.document.text.clone()).into_response())
}

/// Creates the routes of `/docs`. The page is part of the program and loads nothing from other servers.
pub(super) fn page() -> Router<AppState> {
    let start = Router::new()
        .route("/docs", get(async || Redirect::permanent("/docs/")))
        .route("/keys", get(async || Redirect::permanent("/keys/")))
        .route("/calls/{thread}/{id}", get(async || (HTML, include_str!("call_page/index.html"))));
    PAGE_FILES.into_iter().fold(start, |router, (path, kind, content)| {
        let file = [(header::CONTENT_TYPE, HeaderValue::from_static(kind))];
        router.route(path, get(async move || (file, content)))
    })
}
