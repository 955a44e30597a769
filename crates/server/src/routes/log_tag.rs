//! What the many lists and settings share that change with the log alone: as long as no event came, the
//! answer is the one that the caller has.

use crate::{
    AppState,
    extract::{IfNoneMatch, short_hash},
    openapi,
    problem::ProblemResponse,
};
use axum::response::Response;
use countersign_api::{self as api, ApprovalGate, GateError};
use countersign_gate::ThreadId;
use serde::Serialize;
use std::{collections::BTreeMap, marker::PhantomData};
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder},
};

/// The tag of what stands on the log alone: of that thread, or of all.
pub(super) async fn log_tag(app: &AppState, thread: Option<&ThreadId>) -> Result<String, ProblemResponse> {
    Ok(format!("W/\"{}\"", app.gate.tip(thread).await?))
}

/// The tag of what stands on the log and on the policy: how many calls each scope would answer.
pub(super) async fn log_and_policy_tag(
    app: &AppState,
    thread: Option<&ThreadId>,
) -> Result<String, ProblemResponse> {
    Ok(format!("W/\"{}-{}\"", app.gate.tip(thread).await?, short_hash(app.gate.policy_hash())))
}

/// Answers with what stands on the log of that thread, or of all: nothing if the caller has it.
pub(super) async fn answer_by_log_tag<T: Serialize>(
    app: &AppState,
    thread: Option<&ThreadId>,
    have: &IfNoneMatch,
    answer: impl Future<Output = Result<T, GateError>>,
) -> Result<Response, ProblemResponse> {
    have.respond_unless_cached(&log_tag(app, thread).await?, answer).await
}

/// Such an answer as the document describes it: whole and with its tag, or 304 and empty.
pub(super) struct TaggedSchema<T>(PhantomData<T>);

/// An answer that has a tag.
pub(super) trait TaggedAnswer: ToSchema {
    /// The answer.
    const WHAT: &'static str;
}

macro_rules! answered {
    ($($shape:ty: $what:literal;)*) => {
        $(impl TaggedAnswer for $shape {
            const WHAT: &'static str = $what;
        })*
    };
}

answered! {
    api::CallPage: "The calls.";
    api::GrantPage: "The grants.";
    api::ThreadMode: "The mode.";
    api::PendingPage: "What waits.";
    api::ThreadPolicies: "The own policies of the thread.";
    api::ThreadSummary: "The thread.";
    api::ThreadPage: "The threads.";
}

impl<T: TaggedAnswer> IntoResponses for TaggedSchema<T> {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(T::name()))).build();
        let tag = openapi::header("Its tag, for `If-None-Match`.", openapi::text("W/\"5\""));
        let whole =
            ResponseBuilder::new().description(T::WHAT).content("application/json", body).header("etag", tag);
        let mut responses = IfNoneMatch::responses();
        responses.insert("200".to_owned(), whole.build().into());
        responses
    }
}
