//! `GET /openapi.json`, and the reference of the API at `/docs`.

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
use countersign_web::PAGE_FILES;

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
    let document = &*app.document;
    let tag = &document.tag;
    if cached.has(tag) {
        return not_modified(tag);
    }
    let json = const { HeaderValue::from_static("application/json") };
    with_tag(tag, ([(header::CONTENT_TYPE, json)], document.text.clone()).into_response())
}

/// Creates the routes of `/docs` and of the sign-in page's files.
pub(super) fn pages() -> Router<AppState> {
    let start = Router::new()
        .route("/docs", get(async || Redirect::permanent("/docs/")))
        .route("/keys", get(async || Redirect::permanent("/settings")))
        .route("/keys/", get(async || Redirect::permanent("/settings")));
    PAGE_FILES.iter().fold(start, |router, file| {
        let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(file.kind))];
        // The address of a page is its folder.
        router.route(file.path.trim_end_matches("index.html"), get(async move || (kind, file.content)))
    })
}
