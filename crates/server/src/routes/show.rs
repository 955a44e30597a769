//! `GET /v1/threads/{thread}/tool-calls/{id}`

use super::{begin_wait, describe_wait, wait_for_decision, with_preference_applied};
use crate::{
    AppState,
    extract::{
        IfNoneMatch, OperationGate, ReceivedOperation, WaitPreference, not_modified, tag_of_call, with_tag,
    },
    openapi,
    problem::ProblemResponse,
};
use axum::{Json, extract::State, response::Response};
use countersign_api::operations::ShowCall;
use utoipa::{
    IntoParams, IntoResponses,
    openapi::{
        RefOr,
        path::Operation,
        schema::{ObjectBuilder, Type},
    },
};

/// Returns a call, after waiting for its decision if the caller prefers that.
pub(super) async fn show(
    State(app): State<AppState>,
    gate: OperationGate<ShowCall>,
    WaitPreference(wait): WaitPreference,
    cached: IfNoneMatch,
    ReceivedOperation(ShowCall { thread, id }): ReceivedOperation<ShowCall>,
) -> Result<Response, ProblemResponse> {
    let _place = begin_wait(&app, gate.identity(), wait)?;
    let call = wait_for_decision(&app, &gate, &thread, &id, wait).await?;
    let tag = tag_of_call(&call);
    let answer = if cached.has(&tag) { not_modified(&tag) } else { with_tag(&tag, Json(call)) };
    Ok(with_preference_applied(wait, answer))
}

/// Describes the wait and the call's tag.
pub(super) fn describe(operation: &mut Operation) {
    describe_wait(operation);
    let parameters = operation.parameters.get_or_insert_default();
    parameters.extend(IfNoneMatch::into_params(|| None).into_iter().map(RefOr::T));
    let text = ObjectBuilder::new().schema_type(Type::String);
    let tag = openapi::header("The tag of the call, for `If-None-Match`.", text);
    if let Some(RefOr::T(response)) = operation.responses.responses.get_mut("200") {
        response.headers.insert("etag".to_owned(), tag.into());
    }
    operation.responses.responses.extend(IfNoneMatch::responses());
}
