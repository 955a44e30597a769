//! `POST /v1/threads/{thread}/close`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{JsonBody, NoQuery, RequestPrincipal, ThreadPath},
    openapi::refusals,
};
use axum::{Json, extract::State};
use countersign_api::{self as api, ApprovalGate};
use serde::Deserialize;

refusals!(Refusals: UnknownThread);

/// An empty object: the path contains everything that is needed.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({})))]
pub(super) struct EmptyBody {}

/// Closes a thread.
///
/// Its grants end, its pending calls are cancelled, and it accepts no new calls and no claims.
#[utoipa::path(
    post,
    path = "/v1/threads/{thread}/close",
    operation_id = "closeThread",
    tag = "thread",
    params(ThreadPath, RequestPrincipal),
    request_body(content = EmptyBody),
    responses((status = 200, description = "The closed thread, and the calls that were cancelled.", body = api::CloseReport), Refusals)
)]
pub(super) async fn close(
    State(app): State<AppState>,
    ThreadPath(thread): ThreadPath,
    caller: RequestPrincipal,
    _: NoQuery,
    JsonBody(EmptyBody {}): JsonBody<EmptyBody>,
) -> RouteAnswer<api::CloseReport> {
    Ok(Json(app.gate.acting_as(caller.agent()).close(&thread).await?))
}
