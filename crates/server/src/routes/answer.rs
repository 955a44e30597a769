//! Parts of responses that several endpoints share.

use crate::{
    AppState,
    extract::{AuthorizedGate, RequiredRight, WaitPreference},
    identity::CallerIdentity,
    limits::HeldPlace,
    openapi,
    problem::ProblemResponse,
};
use axum::{
    Json,
    http::HeaderValue,
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, CallGate, ErrorCode};
use countersign_events::{CallId, ThreadId};
use std::time::Duration;
use utoipa::{
    IntoParams,
    openapi::{
        RefOr,
        path::Operation,
        schema::{ObjectBuilder, Type},
    },
};

/// Counts a request that will wait for a decision until the returned guard is dropped. Refuses if too many requests of
/// the caller wait.
pub(super) fn begin_wait(
    app: &AppState,
    caller: &CallerIdentity,
    wait: Option<Duration>,
) -> Result<Option<HeldPlace>, ProblemResponse> {
    wait.map(|_| app.limiter.begin_wait(caller)).transpose()
}

/// Returns the call, after waiting for its decision for at most `wait`. Without `wait`, or when the server stops,
/// returns the current state at once. Fails if the caller's credential has ended meanwhile.
pub(super) async fn wait_for_decision<R: RequiredRight>(
    app: &AppState,
    gate: &AuthorizedGate<R>,
    thread: &ThreadId,
    id: &CallId,
    wait: Option<Duration>,
) -> Result<api::Call, ProblemResponse> {
    let Some(timeout) = wait else { return Ok(gate.call(thread, id).await?) };
    let _counted = app.metrics.count_wait();
    let ended =
        || ProblemResponse::new(ErrorCode::Unauthenticated, "the credential ended while the request waited");
    let call = tokio::select! {
        call = gate.wait(thread, id, Some(timeout)) => call?,
        () = app.stop.cancelled() => gate.call(thread, id).await?,
        () = credential_ended(app, gate) => return Err(ended()),
    };
    if gate.is_token_accepted(gate.identity().token()) { Ok(call) } else { Err(ended()) }
}

/// Waits until the caller's credential has expired or was revoked. Without a token, it does not end.
async fn credential_ended<R: RequiredRight>(app: &AppState, gate: &AuthorizedGate<R>) {
    let (clock, identity) = (&app.options.clock, gate.identity());
    // Subscribe before the check, so that no change falls between them.
    let mut changes = gate.watch_tokens();
    while gate.is_token_accepted(identity.token()) {
        let expiry = async {
            match identity.expires_at() {
                Some(end) => clock.sleep_until(end).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Ok(()) = changes.changed() => {}
            () = expiry => {}
        }
    }
}

/// Adds `Preference-Applied` (RFC 7240, 3), if the caller asked to wait.
pub(super) fn with_preference_applied(wait: Option<Duration>, answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    let applied = wait.and_then(|wait| HeaderValue::from_str(&format!("wait={}", wait.as_secs())).ok());
    if let Some(applied) = applied {
        response.headers_mut().insert("preference-applied", applied);
    }
    response
}

/// Describes the preference to wait, and the answer header that confirms it.
pub(super) fn describe_wait(operation: &mut Operation) {
    let parameters = operation.parameters.get_or_insert_default();
    parameters.extend(WaitPreference::into_params(|| None).into_iter().map(RefOr::T));
    let description = "The preference that the server applied, such as `wait=30`.";
    let applied = openapi::header(description, ObjectBuilder::new().schema_type(Type::String));
    let success = operation.responses.responses.iter_mut().find(|(status, _)| status.starts_with("20"));
    if let Some((_, RefOr::T(response))) = success {
        response.headers.insert("preference-applied".to_owned(), applied.into());
    }
}

/// An endpoint result with plain JSON.
pub(super) type RouteAnswer<T> = Result<Json<T>, ProblemResponse>;
