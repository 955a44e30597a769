//! `POST /v1/threads/{thread}/close`

use super::RouteAnswer;
use crate::{
    extract::{CloseGate, JsonBody, NoQuery, ThreadPath},
    openapi::refusals,
};
use axum::Json;
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
    params(ThreadPath),
    request_body(content = EmptyBody),
    responses((status = 200, description = "The closed thread, and the calls that were cancelled.", body = api::CloseReport), Refusals)
)]
pub(super) async fn close(
    gate: CloseGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    JsonBody(EmptyBody {}): JsonBody<EmptyBody>,
) -> RouteAnswer<api::CloseReport> {
    Ok(Json(gate.close(&thread).await?))
}
