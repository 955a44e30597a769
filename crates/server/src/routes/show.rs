//! `GET /v1/threads/{thread}/tool-calls/{id}`

use super::{begin_wait, wait_for_decision, with_preference_applied};
use crate::{
    AppState,
    extract::{
        CallPath, IfNoneMatch, NoQuery, ReadGate, WaitPreference, not_modified, tag_of_call, with_tag,
    },
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, extract::State, response::Response};
use countersign_api as api;

refusals!(Refusals: UnknownCall, TooManyWaits);

/// Returns the current state of a call.
///
/// With `Prefer: wait=30`, the response is held until the call is decided, for at most that many seconds.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/tool-calls/{id}",
    operation_id = "getCall",
    tag = "executor",
    params(CallPath, WaitPreference, IfNoneMatch),
    responses(
        (status = 200, description = "The call.", body = api::Call, headers(
            ("etag" = String, description = "The tag of the call, for `If-None-Match`."),
            ("preference-applied" = String, description = "The preference that the server applied, such as `wait=30`."),
        )),
        IfNoneMatch,
        Refusals
    )
)]
pub(super) async fn show(
    State(app): State<AppState>,
    gate: ReadGate,
    CallPath(thread, id): CallPath,
    WaitPreference(wait): WaitPreference,
    cached: IfNoneMatch,
    _: NoQuery,
) -> Result<Response, ProblemResponse> {
    let _place = begin_wait(&app, gate.identity(), wait)?;
    let call = wait_for_decision((&app, &gate), &thread, &id, wait).await?;
    let tag = tag_of_call(&call);
    let answer = if cached.has(&tag) { not_modified(&tag) } else { with_tag(&tag, Json(call)) };
    Ok(with_preference_applied(wait, answer))
}
