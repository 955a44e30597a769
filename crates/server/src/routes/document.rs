//! `GET /openapi.json`, and the page `/docs` to try the API.

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

/// The files of the pages: the name, the type and the content.
const PAGE_FILES: [(&str, &str, &str); 3] = [
    ("/docs/", "text/html", include_str!("page/index.html")),
    ("/docs/page.css", "text/css", include_str!("page/page.css")),
    ("/docs/page.js", "text/javascript", include_str!("page/page.js")),
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
        .route("/keys", get(async || Redirect::permanent("/settings")))
        .route("/keys/", get(async || Redirect::permanent("/settings")));
    PAGE_FILES.into_iter().fold(start, |router, (path, kind, content)| {
        let file = [(header::CONTENT_TYPE, HeaderValue::from_static(kind))];
        router.route(path, get(async move || (file, content)))
    })
}
