//! `If-None-Match` (RFC 9110, 13.1.2): a caller that has the current answer gets 304, if possible without a query.
//!
//! The tags are weak and stand on the log: as long as no event came, no answer has changed, but for what a policy
//! that came since says of questions that are open.

use crate::{openapi, problem::ProblemResponse};
use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, GateError};
use countersign_gate::{Json, Sha256};
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

/// The tags of the answers that the caller has.
pub(crate) struct IfNoneMatch(Vec<String>);

impl IfNoneMatch {
    /// Of a caller who has nothing.
    pub(crate) const fn nothing() -> Self {
        Self(Vec::new())
    }

    /// True if the caller has the answer with that tag.
    pub(crate) fn has(&self, tag: &str) -> bool {
        // Weak comparison: whether a tag is weak or strong makes no difference.
        let opaque = tag.trim_start_matches("W/");
        self.0.iter().any(|given| given == "*" || given.trim_start_matches("W/") == opaque)
    }

    /// What bears that tag: nothing if the caller has it, and `answer` if not.
    pub(crate) async fn respond_unless_cached<T: Serialize>(
        &self,
        tag: &str,
        answer: impl Future<Output = Result<T, GateError>>,
    ) -> Result<Response, ProblemResponse> {
        if self.has(tag) { Ok(not_modified(tag)) } else { Ok(with_tag(tag, axum::Json(answer.await?))) }
    }
}

/// Puts the tag on an answer.
pub(crate) fn with_tag(tag: &str, answer: impl IntoResponse) -> Response {
    let mut response = answer.into_response();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The caller's copy is current.
pub(crate) fn not_modified(tag: &str) -> Response {
    with_tag(tag, StatusCode::NOT_MODIFIED)
}

/// The tag of a call: its newest event and its state, which a lease that lapses changes by itself. What a question
/// tells beside that comes of the other calls of its thread and of the policy, so its text is in the tag, too.
pub(crate) fn tag_of_call(call: &api::Call) -> String {
    let seqs = [
        Some(call.proposal.seq),
        call.request.as_ref().map(|request| request.seq),
        call.response.as_ref().map(|response| response.seq),
        call.execution.as_ref().map(|execution| execution.seq),
        call.released.as_ref().map(|released| released.seq),
        call.result.as_ref().map(|result| result.seq),
    ];
    let newest = seqs.into_iter().flatten().max().unwrap_or_default();
    let question = call.request.as_ref().filter(|_| call.is_pending());
    let told = question.and_then(|question| Json::encode(question).ok());
    let told = told
        .map(|told| format!("-{}", short_hash(Sha256::digest(told.as_str().as_bytes()))))
        .unwrap_or_default();
    format!("W/\"{newest}-{}{told}\"", call.state)
}

/// The beginning of a hash, which is enough to tell a handful of answers apart.
pub(crate) fn short_hash(hash: Sha256) -> String {
    hash.to_string().chars().take(12).collect()
}

impl<S: Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let given =
            parts.headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let tags = given.flat_map(|value| value.split(',')).map(|tag| tag.trim().to_owned());
        Ok(Self(tags.collect()))
    }
}

impl IntoParams for IfNoneMatch {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let what =
            "The `ETag` of an answer that the caller has. If it still holds, the answer is 304 and empty.";
        vec![openapi::parameter("If-None-Match", ParameterIn::Header, what, openapi::text("W/\"5\""))]
    }
}

impl IntoResponses for IfNoneMatch {
    fn responses() -> BTreeMap<String, RefOr<response::Response>> {
        let unchanged = response::ResponseBuilder::new()
            .description("What the caller has still holds.")
            .header("ETag", openapi::header("The tag of what the caller has.", openapi::text("W/\"5\"")))
            .build();
        BTreeMap::from([("304".to_owned(), unchanged.into())])
    }
}
