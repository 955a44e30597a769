//! `GET /openapi.json`, and `/docs`, a page to try the API.

use crate::{
    AppState,
    extract::{IfNoneMatch, not_modified, with_tag},
};
use axum::{
    Router,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use utoipa_swagger_ui::{Config, SwaggerUi};

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
    SwaggerUi::new("/docs").config(Config::from("/openapi.json").validator_url("none")).into()
}
