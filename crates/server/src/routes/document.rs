//! `GET /openapi.json`, and `/docs`, a page to try it.

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

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "getDocument",
    tag = "service",
    params(IfNoneMatch),
    responses(
        (status = 200, description = "The API, described in OpenAPI 3.1.", body = Object, headers(
            ("etag" = String, description = "Its tag, for `If-None-Match`."),
        )),
        IfNoneMatch
    )
)]
pub(super) async fn document(State(app): State<AppState>, have: IfNoneMatch) -> Response {
    let tag = &app.document.tag;
    if have.has(tag) {
        return not_modified(tag);
    }
    let json = const { HeaderValue::from_static("application/json") };
    with_tag(tag, ([(header::CONTENT_TYPE, json)], app.document.text.clone()).into_response())
}

/// The page, which comes with the program and asks nothing of anybody else.
pub(super) fn page() -> Router<AppState> {
    SwaggerUi::new("/docs").config(Config::from("/openapi.json").validator_url("none")).into()
}
