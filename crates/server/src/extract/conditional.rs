//! `If-None-Match` (RFC 9110, 13.1.2): a caller that has the current response gets 304, if possible without a query.
//!
//! The tags are weak and derive from the log, because a response changes only when the log grows. The exception is a
//! pending request, which also changes with the policy, so its tag also covers the policy or its own JSON.

use crate::{openapi, problem::ProblemResponse};
use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, GateError};
use countersign_events::{Json, Sha256};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::{
    IntoParams, IntoResponses,
    openapi::{
        RefOr,
        path::{Parameter, ParameterIn},
        response,
    },
};

/// Tags of the responses that the caller has.
pub(crate) struct IfNoneMatch(Vec<String>);

impl IfNoneMatch {
    /// Creates the header for a caller that has no response.
    pub(crate) const fn empty() -> Self {
        Self(Vec::new())
    }

    /// Returns true if the caller has the response with this tag.
    pub(crate) fn has(&self, tag: &str) -> bool {
        // Weak comparison: it makes no difference whether a tag is weak.
        let opaque = tag.trim_start_matches("W/");
        self.0.iter().any(|own| own == "*" || own.trim_start_matches("W/") == opaque)
    }

    /// Responds with 304 if the caller has the response with this tag, else with `answer` and the tag. `answer` is
    /// computed only if it is needed.
    pub(crate) async fn respond_unless_cached<T: Serialize>(
        &self,
        tag: &str,
        answer: impl Future<Output = Result<T, GateError>>,
    ) -> Result<Response, ProblemResponse> {
        if self.has(tag) { Ok(not_modified(tag)) } else { Ok(with_tag(tag, axum::Json(answer.await?))) }
    }
}

/// Adds the tag to a response.
pub(crate) fn with_tag(tag: &str, answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// Creates the 304 response for a caller whose copy is current.
pub(crate) fn not_modified(tag: &str) -> Response {
    with_tag(tag, StatusCode::NOT_MODIFIED)
}

/// Returns a call's tag: its newest `seq` and its state, which changes without an event when a lease lapses. A pending
/// call's request also depends on the other calls in its thread and on the policy, so the tag contains a hash of the
/// request's JSON.
pub(crate) fn tag_of_call(call: &api::Call) -> String {
    let seqs = [
        Some(call.proposal.seq),
        call.request.as_ref().map(|request| request.seq),
        call.response.as_ref().map(|response| response.seq),
        call.execution.as_ref().map(|execution| execution.seq),
        call.execution.as_ref().and_then(|execution| execution.renewed.as_ref()).map(|renewed| renewed.seq),
        call.released.as_ref().map(|released| released.seq),
        call.taken_back.as_ref().map(|taken| taken.seq),
        call.result.as_ref().map(|result| result.seq),
        call.advice.last().map(|advice| advice.seq),
        call.flags.last().map(|flag| flag.seq),
        call.mismatch.as_ref().map(|mismatch| mismatch.seq),
        call.erased.as_ref().map(|erased| erased.seq),
        call.archived.as_ref().map(|archived| archived.seq),
    ];
    let newest = seqs.into_iter().flatten().max().unwrap_or_default();
    let request = call.request.as_ref().filter(|_| call.is_pending());
    let request_text = request.and_then(|request| Json::encode(request).ok());
    let request_hash = request_text
        .map(|text| format!("-{}", short_hash(Sha256::digest(text.as_str().as_bytes()))))
        .unwrap_or_default();
    // The time at which the proposer was last seen changes all the time, so only the loss of the proposer changes the
    // tag.
    let gone = if call.proposer_gone { "-gone" } else { "" };
    format!("W/\"{newest}-{}{request_hash}{gone}\"", call.state)
}

/// Returns the first 12 digits of a hash, which distinguish the few versions of one response.
pub(crate) fn short_hash(hash: Sha256) -> String {
    hash.to_string().chars().take(12).collect()
}

impl<S: Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let values =
            parts.headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let tags = values.flat_map(|value| value.split(',')).map(|tag| tag.trim().to_owned());
        Ok(Self(tags.collect()))
    }
}

impl IntoParams for IfNoneMatch {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "The `ETag` of an earlier response. If the response has not changed since, the status is \
                           304 and the body is empty.";
        vec![openapi::parameter("If-None-Match", ParameterIn::Header, description, openapi::text("W/\"5\""))]
    }
}

impl IntoResponses for IfNoneMatch {
    fn responses() -> BTreeMap<String, RefOr<response::Response>> {
        let unchanged = response::ResponseBuilder::new()
            .description("The response that the caller has is current.")
            .header(
                "ETag",
                openapi::header("The tag of the response that the caller has.", openapi::text("W/\"5\"")),
            )
            .build();
        BTreeMap::from([("304".to_owned(), unchanged.into())])
    }
}
