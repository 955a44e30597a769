//! `GET` and `PUT /v1/threads/{thread}/mode`

use super::{
    Answer,
    by_log::{Tagged, by_log},
};
use crate::{
    App,
    extract::{Body, Caller, IfNoneMatch, NoQuery, OfThread},
    openapi::refusals,
    problem::Problem,
};
use axum::{Json, extract::State, response::Response};
use countersign_api::{self as api, ApprovalGate};

refusals!(SetRefusals: NotAnApprover, ThreadClosed);

/// How a thread answers what is asked.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/mode",
    operation_id = "getMode",
    tag = "thread",
    params(OfThread, IfNoneMatch),
    responses(Tagged<api::ThreadMode>)
)]
pub(super) async fn show(
    State(app): State<App>,
    OfThread(thread): OfThread,
    have: IfNoneMatch,
    _: NoQuery,
) -> Result<Response, Problem> {
    by_log(&app, Some(&thread), &have, app.gate.mode(&thread)).await
}

/// Have a thread answer what is asked.
///
/// `interactive`: people decide. `approve_all`: what is asked is allowed. `auto_deny`: it is denied. A mode never
/// lifts a block. Only people set it.
#[utoipa::path(
    put,
    path = "/v1/threads/{thread}/mode",
    operation_id = "setMode",
    tag = "thread",
    params(OfThread, Caller),
    request_body(content = api::ModeRequest),
    responses((status = 200, description = "The mode.", body = api::ThreadMode), SetRefusals)
)]
pub(super) async fn set(
    State(app): State<App>,
    OfThread(thread): OfThread,
    caller: Caller,
    _: NoQuery,
    Body(set): Body<api::ModeRequest>,
) -> Answer<api::ThreadMode> {
    Ok(Json(app.gate.acting_as(caller.person()).set_mode(&thread, &set).await?))
}
