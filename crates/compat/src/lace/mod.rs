//! The interface of Lace: decisions, the pending calls, and the stream of events, of a thread (`/api/threads/{thread}/…`) and of
//! a session with all its agents (`/api/sessions/{thread}/…`), whose threads are the session's id, a dot and a number.

mod bodies;
mod stream;

use crate::refusals;
use axum::{
    Json,
    extract::{Query, State, rejection::QueryRejection},
    response::Response,
};
use bodies::{LaceAnswer, LaceDecision, LacePendingList, LaceWord};
use countersign_api::{self as api, ApprovalGate, Call, CallGate, CallId, GateError, LogFilter, PageQuery};
use countersign_events::ThreadId;
use countersign_gate::EmbeddedGate;
use countersign_server::interface::{
    AppState, CallPath, DecideGate, JsonBody, LastEventId, NoQuery, ProblemResponse, ReadGate, ThreadPath,
    respond_with_stream,
};
use futures_util::{StreamExt, stream::once};
use serde::Deserialize;
use stream::{LaceForm, LaceStream, LaceThreads, is_in_session};
use utoipa::IntoParams;

refusals!(Refusals: UnknownCall, NotAnApprover, SelfApproval, NotEligible, ProofRequired, AlreadyDecided, AlreadyVoted, Blocked, NotOffered);
refusals!(StreamRefusals: BadCursor, TooManyStreams);

/// The most pages of pending calls that are read to find those of a session.
const MOST_PAGES: usize = 10;

/// Decides on a call, for a client of Lace.
///
/// `allow_session` is remembered for the whole tool, as Lace does. A client that decides on narrower scopes, comments or
/// edits uses `POST /v1/threads/{thread}/approvals/{id}`, whose rules are the same.
#[utoipa::path(
    post,
    path = "/api/threads/{thread}/approvals/{id}",
    operation_id = "laceDecide",
    tag = "lace",
    extensions(("x-access" = json!(DecideGate::describe_access()))),
    params(CallPath),
    request_body(content = LaceDecision),
    responses((status = 200, description = "The decision or the vote is recorded.", body = LaceAnswer), Refusals)
)]
pub(super) async fn decide(
    gate: DecideGate,
    CallPath(thread, id): CallPath,
    _: NoQuery,
    JsonBody(request): JsonBody<LaceDecision>,
) -> Result<Json<LaceAnswer>, ProblemResponse> {
    gate.decide(&thread, &id, &decision_request(request.decision)).await?;
    Ok(Json(LaceAnswer::SUCCESS))
}

/// Decides on a call of a session, whichever of its agents has proposed it, for a client of Lace.
///
/// If two agents of the session wait for a call with this id, the decision is refused: `POST /api/threads/{thread}/approvals/{id}`
/// says which agent is meant.
#[utoipa::path(
    post,
    path = "/api/sessions/{thread}/approvals/{id}",
    operation_id = "laceDecideInSession",
    tag = "lace",
    extensions(("x-access" = json!(DecideGate::describe_access()))),
    params(CallPath),
    request_body(content = LaceDecision),
    responses((status = 200, description = "The decision or the vote is recorded.", body = LaceAnswer), Refusals)
)]
pub(super) async fn decide_in_session(
    gate: DecideGate,
    CallPath(session, id): CallPath,
    _: NoQuery,
    JsonBody(request): JsonBody<LaceDecision>,
) -> Result<Json<LaceAnswer>, ProblemResponse> {
    let thread = find_agent(&gate, session, &id).await?;
    gate.require_thread(&thread)?;
    gate.decide(&thread, &id, &decision_request(request.decision)).await?;
    Ok(Json(LaceAnswer::SUCCESS))
}

/// Lists the pending calls of a thread, for a client of Lace that has connected again: the 1,000 oldest.
#[utoipa::path(
    get,
    path = "/api/threads/{thread}/approvals/pending",
    operation_id = "laceListPending",
    tag = "lace",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(ThreadPath),
    responses((status = 200, description = "The pending calls.", body = LacePendingList))
)]
pub(super) async fn list_pending(
    State(app): State<AppState>,
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
) -> Result<Json<LacePendingList>, ProblemResponse> {
    let page = PageQuery { after: 0, limit: api::MAX_PAGE };
    let pending = gate.pending(&LogFilter::of_thread(&thread), page).await?.pending;
    app.count_recovered(pending.len());
    Ok(Json(LacePendingList::from_calls(pending)?))
}

/// Lists the pending calls of a session with all its agents, for a client of Lace that has connected again.
#[utoipa::path(
    get,
    path = "/api/sessions/{thread}/approvals/pending",
    operation_id = "laceListPendingOfSession",
    tag = "lace",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(ThreadPath),
    responses((status = 200, description = "The pending calls.", body = LacePendingList))
)]
pub(super) async fn list_pending_of_session(
    State(app): State<AppState>,
    gate: ReadGate,
    ThreadPath(session): ThreadPath,
    _: NoQuery,
) -> Result<Json<LacePendingList>, ProblemResponse> {
    let pending = pending_of_session(&gate, &session).await?;
    app.count_recovered(pending.len());
    Ok(Json(LacePendingList::from_calls(pending)?))
}

/// Streams what happens to the calls of a session, for a client of Lace.
///
/// The first message is `connection`; then follow new events, in messages that are named by their type: `TOOL_CALL`,
/// `TOOL_APPROVAL_REQUEST`, `TOOL_APPROVAL_RESPONSE` and `TOOL_RESULT`. With `Last-Event-ID`, what the client missed comes first.
#[utoipa::path(
    get,
    path = "/api/sessions/{thread}/events/stream",
    operation_id = "laceFollowSession",
    tag = "lace",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(ThreadPath, LastEventId),
    responses(
        (status = 200, description = "The stream.", content((String = "text/event-stream"))),
        StreamRefusals
    )
)]
pub(super) async fn follow_session(
    State(app): State<AppState>,
    gate: ReadGate,
    ThreadPath(session): ThreadPath,
    last: LastEventId,
    _: NoQuery,
) -> Result<Response, ProblemResponse> {
    let place = app.open_stream(&gate)?;
    let after = start(&gate, last).await?;
    let first = stream::connection(&session, app.clock().now());
    let threads = LaceThreads { sessions: vec![session.to_string()], threads: Vec::new() };
    let messages = LaceStream::new(&gate, threads, after, LaceForm::Named).into_messages();
    let messages = once(async move { first }).chain(messages).boxed();
    respond_with_stream(&app, &gate, messages, place)
}

/// Streams what happens to calls, for a client of Lace since August 2025.
///
/// The messages have no names, and their data is superjson. With `Last-Event-ID`, what the client missed comes first.
#[utoipa::path(
    get,
    path = "/api/events/stream",
    operation_id = "laceFollow",
    tag = "lace",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(LaceStreamQuery, LastEventId),
    responses(
        (status = 200, description = "The stream.", content((String = "text/event-stream"))),
        StreamRefusals
    )
)]
pub(super) async fn follow(
    State(app): State<AppState>,
    gate: ReadGate,
    last: LastEventId,
    query: Result<Query<LaceStreamQuery>, QueryRejection>,
) -> Result<Response, ProblemResponse> {
    let Query(query) = query.map_err(|why| GateError::invalid("query", &why))?;
    let place = app.open_stream(&gate)?;
    let after = start(&gate, last).await?;
    let stream = LaceStream::new(&gate, query.threads(), after, LaceForm::Superjson);
    respond_with_stream(&app, &gate, stream.into_messages(), place)
}

/// The threads of which a client of Lace wants to hear; without any, all that the caller sees.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct LaceStreamQuery {
    /// Sessions, separated by commas.
    #[serde(default)]
    #[param(required = false)]
    sessions: String,
    /// Threads, separated by commas.
    #[serde(default)]
    #[param(required = false)]
    threads: String,
    /// Without effect: the log has no projects.
    #[serde(default)]
    #[param(required = false)]
    #[expect(dead_code, reason = "a client sends it, and other names are refused")]
    projects: String,
}

impl LaceStreamQuery {
    fn threads(&self) -> LaceThreads {
        let list = |text: &str| text.split(',').filter(|id| !id.is_empty()).map(str::to_owned).collect();
        LaceThreads { sessions: list(&self.sessions), threads: list(&self.threads) }
    }
}

fn decision_request(word: LaceWord) -> api::DecisionRequest {
    let whole_tool = (word == LaceWord::AllowSession).then(|| api::Json::string("tool"));
    api::DecisionRequest { scope: whole_tool, ..api::DecisionRequest::plain(word.decision()) }
}

/// The event after which a stream starts.
async fn start(gate: &ReadGate, LastEventId(last): LastEventId) -> Result<i64, ProblemResponse> {
    match last {
        Some(last) => {
            gate.check_cursor(&last).await?;
            Ok(last.seq)
        }
        None => Ok(gate.tip(None).await?),
    }
}

/// The pending calls of a session's agents, the oldest request first.
async fn pending_of_session(gate: &EmbeddedGate, session: &ThreadId) -> Result<Vec<Call>, GateError> {
    let (mut found, mut after) = (Vec::new(), 0);
    for _ in 0..MOST_PAGES {
        let page = gate.pending(&LogFilter::default(), PageQuery { after, limit: api::MAX_PAGE }).await?;
        let own = page.pending.into_iter().filter(|call| is_in_session(&call.thread_id, session.as_str()));
        found.extend(own);
        let Some(next) = page.next else { break };
        after = next;
    }
    Ok(found)
}

/// The thread whose agent waits for this call; the session itself if none does.
async fn find_agent(gate: &EmbeddedGate, session: ThreadId, id: &CallId) -> Result<ThreadId, GateError> {
    let pending = pending_of_session(gate, &session).await?;
    let mut waiting = pending.into_iter().filter(|call| call.id == *id).map(|call| call.thread_id);
    match (waiting.next(), waiting.next()) {
        (None, _) => Ok(session),
        (Some(thread), None) => Ok(thread),
        (Some(first), Some(second)) => {
            let why = format!("is pending in {first} and {second}; decide by the thread");
            Err(GateError::invalid("id", &why))
        }
    }
}
