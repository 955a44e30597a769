//! Tagged responses of lists and settings. They change only with the log, so the log's end is their tag: until the next
//! event, the response that the caller has is current.

use super::message_answer::MessageAnswer;
use crate::{
    extract::{IfNoneMatch, short_hash},
    openapi,
    problem::ProblemResponse,
};
use axum::response::Response;
use countersign_api::{self as api, ApprovalGate, GateError};
use countersign_events::ThreadId;
use countersign_gate::EmbeddedGate;
use serde::Serialize;
use std::{collections::BTreeMap, marker::PhantomData};
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder},
};

/// Returns the tag for a response that depends only on the log of this thread, or of all threads.
pub(super) async fn log_tag(
    gate: &EmbeddedGate,
    thread: Option<&ThreadId>,
) -> Result<String, ProblemResponse> {
    Ok(format!("W/\"{}\"", gate.tip(thread).await?))
}

/// Returns the tag for a response that depends on the log and on the policy, such as how many calls each scope would
/// answer.
pub(super) async fn log_and_policy_tag(
    gate: &EmbeddedGate,
    thread: Option<&ThreadId>,
) -> Result<String, ProblemResponse> {
    let policy = gate.policy_in_force().map_err(GateError::from)?.hash();
    Ok(format!("W/\"{}-{}\"", gate.tip(thread).await?, short_hash(policy)))
}

/// Responds with `answer`, which depends only on the log of this thread, or of all threads; with 304 if the caller has
/// it.
pub(super) async fn answer_by_log_tag<T: Serialize>(
    gate: &EmbeddedGate,
    thread: Option<&ThreadId>,
    cached: &IfNoneMatch,
    answer: impl Future<Output = Result<T, GateError>>,
) -> Result<Response, ProblemResponse> {
    cached.respond_unless_cached(&log_tag(gate, thread).await?, answer).await
}

/// The OpenAPI description of a tagged response: 200 with the body and the tag, or 304 without a body.
pub(super) struct TaggedSchema<T>(PhantomData<T>);

/// A tagged response's body.
pub(super) trait TaggedAnswer: ToSchema {
    /// The response's description.
    const WHAT: &'static str;
}

macro_rules! tagged_answers {
    ($($shape:ty: $what:literal;)*) => {
        $(impl TaggedAnswer for $shape {
            const WHAT: &'static str = $what;
        })*
    };
}

tagged_answers! {
    api::CallPage: "The calls.";
    MessageAnswer: "The messages, or with `for` the whole conversation.";
    api::PendingPage: "The pending calls.";
}

impl<T: TaggedAnswer> IntoResponses for TaggedSchema<T> {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        tagged_responses(T::WHAT, &T::name())
    }
}

/// Describes a tagged response whose body has the schema with this name.
pub(super) fn tagged_responses(
    description: &str,
    schema: &str,
) -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    let tag = openapi::header("The tag of the response, for `If-None-Match`.", openapi::text("W/\"5\""));
    let whole =
        ResponseBuilder::new().description(description).content("application/json", body).header("etag", tag);
    let mut responses = IfNoneMatch::responses();
    responses.insert("200".to_owned(), whole.build().into());
    responses
}
