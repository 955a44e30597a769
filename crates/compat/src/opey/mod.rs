//! The interface of Opey: `GET /approval/{thread}`, the stream of its events; `POST /approval/{thread}`, decisions; and
//! `POST /stream`, what a person says in a chat, or decisions, with the stream of what follows.

mod bodies;
mod dialect;
mod events;
mod problem;

use crate::{
    call_moment::CallMoment,
    dialect::{DialectStream, WrittenEvents},
    refusals,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderName, HeaderValue},
    response::{IntoResponse, Response},
};
use bodies::{OpeyDecision, OpeyPendingList, OpeyStep, OpeyStreamRequest};
use countersign_api::{
    self as api, ApprovalGate, BulkDecisionRequest, Call, GateError, LogFilter, PageQuery, SendOperation,
    operations, parse_thread_id, random_id,
};
use countersign_events::{Json as EventJson, ThreadId};
use countersign_gate::EmbeddedGate;
use countersign_server::interface::{
    AppState, ConverseGate, DecideGate, JsonBody, LastEventId, NoQuery, PrefersJson, ProblemResponse,
    ReadGate, ThreadPath, respond_with_stream,
};
use dialect::{OpeyDialect, OpeyStream};
use events::{write_opey_event, write_opey_failure, write_opey_requests};
use problem::OpeyRefusals;
pub(crate) use problem::add_shown_error;
use std::time::Duration;

refusals!(FollowRefusals: BadCursor, Invalid, TooManyStreams);
refusals!(
    DecideRefusals: UnknownCall, NotAnApprover, SelfApproval, NotEligible, ProofRequired, AlreadyDecided, AlreadyVoted, Blocked,
    Invalid, NotOffered, TooManyStreams
);
refusals!(
    ChatRefusals: UnknownThread, ThreadClosed, UnknownCall, NotAnApprover, SelfApproval, NotEligible, ProofRequired,
    AlreadyDecided, AlreadyVoted, Blocked, Invalid, NotOffered, TooManyStreams
);

/// The header that tells the client the thread of its chat.
const THREAD: HeaderName = HeaderName::from_static("x-thread-id");

/// A chat stream in which nothing happens for this time ends.
const QUIET: Duration = Duration::from_mins(1);

/// Streams what happens to a thread's calls, for a client of Opey.
///
/// The stream begins with an `approval_request` for each pending call, the oldest first, at most 1,000. Then follow
/// `approval_request`, `tool_start`, `tool_complete` and `error`, each as a message's `data`. With `Last-Event-ID`, it
/// begins with what the client missed. With `Accept: application/json`, the answer is the pending calls' list.
#[utoipa::path(
    get,
    path = "/approval/{thread}",
    operation_id = "opeyFollow",
    tag = "opey",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(ThreadPath, LastEventId),
    responses(
        (status = 200, description = "The stream, or the pending calls.", content(
            (OpeyPendingList = "application/json"),
            (String = "text/event-stream"),
        )),
        OpeyRefusals<FollowRefusals>
    )
)]
pub(super) async fn follow(
    State(app): State<AppState>,
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    LastEventId(last): LastEventId,
    _: NoQuery,
    PrefersJson(is_json): PrefersJson,
) -> Result<Response, ProblemResponse> {
    if is_json {
        let pending = list_pending(&gate, &thread).await?;
        let pending = pending.iter().map(|call| write_opey_event(CallMoment::Asked, call)).collect();
        return Ok(Json(OpeyPendingList { pending }).into_response());
    }
    let place = app.open_stream(&gate)?;
    let mut dialect = OpeyDialect::new(OpeyStream::Page, 0);
    if let Some(last) = last {
        gate.check_cursor(&last).await?;
        let source = DialectStream::new(&gate, &thread, last.seq, dialect).with_ids();
        return respond_with_stream(&app, &gate, source.into_messages(), place);
    }
    // In this order, a call that is proposed meanwhile is in the list, in the stream, or in both; the dialect drops it there.
    let tip = gate.tip(Some(&thread)).await?;
    let pending = list_pending(&gate, &thread).await?;
    let opening = pending.iter().map(|call| write_opey_event(CallMoment::Asked, call)).collect();
    dialect.asked = pending.into_iter().map(|call| call.id).collect();
    let source = DialectStream::new(&gate, &thread, tip, dialect)
        .begins_with(WrittenEvents { events: opening, end: None })
        .with_ids();
    respond_with_stream(&app, &gate, source.into_messages(), place)
}

/// Decides on a call, or on several, for a client of Opey.
///
/// The answer is a stream of what follows: `tool_start` and `tool_complete` if a call runs, requests for other calls, and
/// `[DONE]` when the decided calls have ended. A refused decision is a problem; one of several is an `error` in the stream.
/// With `Accept: application/json`, the answer to one decision is the call instead. A client that decides on scopes, comments
/// or edits uses `POST /v1/threads/{thread}/approvals/{id}`, whose rules are the same.
#[utoipa::path(
    post,
    path = "/approval/{thread}",
    operation_id = "opeyDecide",
    tag = "opey",
    extensions(("x-access" = json!(DecideGate::describe_access()))),
    params(ThreadPath),
    request_body(content = OpeyDecision),
    responses(
        (status = 200, description = "The decisions or the votes are recorded.", content(
            (api::Call = "application/json"),
            (String = "text/event-stream"),
        )),
        OpeyRefusals<DecideRefusals>
    )
)]
pub(super) async fn decide(
    State(app): State<AppState>,
    gate: DecideGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    PrefersJson(is_json): PrefersJson,
    JsonBody(request): JsonBody<OpeyDecision>,
) -> Result<Response, ProblemResponse> {
    let has_old_ends = !request.has_level();
    let decisions = request.into_decisions(&thread)?;
    if is_json && decisions.decisions.len() == 1 {
        let call = decide_all(&gate, &decisions).await?.calls.pop();
        return Ok(Json(call).into_response());
    }
    // The place first: a decision whose answer is refused would surprise.
    let place = app.open_stream(&gate)?;
    let before = gate.tip(Some(&thread)).await?;
    let outcome = decide_all(&gate, &decisions).await?;
    let mut dialect = OpeyDialect::new(OpeyStream::Decision, before);
    dialect.has_old_ends = has_old_ends;
    let source = outcome.follow(&gate, &thread, dialect);
    respond_with_stream(&app, &gate, source.into_messages(), place)
}

/// Takes what a person says in a chat of Opey, or decisions, and streams what follows.
///
/// A message is added to the thread's conversation, in the form of OpenAI, for the agent to read. The stream has the events of
/// Opey: first the requests for the pending calls, then what happens, with what the agent says. It ends one second after a
/// request, which the client answers by the next request; after the agent's last word; when the decided calls have ended and
/// others wait for a decision; or when nothing happens for a minute. Its last message is then `[DONE]`, or nothing.
#[utoipa::path(
    post,
    path = "/stream",
    operation_id = "opeyChat",
    tag = "opey",
    extensions(("x-access" = json!(DecideGate::describe_access()))),
    request_body(content = OpeyStreamRequest),
    responses(
        (status = 200, description = "The stream.", content((String = "text/event-stream"))),
        OpeyRefusals<ChatRefusals>
    )
)]
pub(super) async fn chat(
    State(app): State<AppState>,
    gate: DecideGate,
    conversation: ConverseGate,
    _: NoQuery,
    JsonBody(mut request): JsonBody<OpeyStreamRequest>,
) -> Result<Response, ProblemResponse> {
    let thread = match &request.thread_id {
        Some(thread) => thread.clone(),
        None => parse_thread_id(&random_id("opey_"))?,
    };
    let step = request.read_step(&thread)?;
    gate.require_thread(&thread)?;
    let place = app.open_stream(&gate)?;
    let before = gate.tip(Some(&thread)).await?;
    let dialect = OpeyDialect::new(OpeyStream::Chat, before);
    let source = match step {
        OpeyStep::Decide(decisions) => follow_decisions(&gate, &thread, &decisions, dialect).await?,
        OpeyStep::Say(body) => {
            let add = operations::AddMessages { thread: thread.clone(), body };
            let report = conversation.send(add).await?;
            let seq = report.messages.first().map_or(0, |message| message.seq);
            follow_message(&gate, &thread, request.confirm(seq), dialect).await?
        }
    };
    let source = source.ends_when_quiet(app.clock(), QUIET);
    let mut response = respond_with_stream(&app, &gate, source.into_messages(), place)?;
    // A thread's id may have letters that a header cannot carry; such a client has chosen it itself.
    if let Ok(value) = HeaderValue::from_str(thread.as_str()) {
        response.headers_mut().insert(THREAD, value);
    }
    Ok(response)
}

/// Makes the decisions of a chat, and streams what follows.
async fn follow_decisions(
    gate: &EmbeddedGate,
    thread: &ThreadId,
    decisions: &BulkDecisionRequest,
    mut dialect: OpeyDialect,
) -> Result<DialectStream<OpeyDialect>, ProblemResponse> {
    let outcome = decide_all(gate, decisions).await?;
    let waiting = list_pending(gate, thread).await?.into_iter().map(|call| call.id);
    dialect.waiting = waiting.filter(|id| outcome.calls.iter().all(|call| call.id != *id)).collect();
    Ok(outcome.follow(gate, thread, dialect))
}

/// Streams what follows a message: first its confirmation, and the requests for the pending calls.
async fn follow_message(
    gate: &EmbeddedGate,
    thread: &ThreadId,
    confirmation: Option<EventJson>,
    mut dialect: OpeyDialect,
) -> Result<DialectStream<OpeyDialect>, GateError> {
    // A client that confirms its messages is none of those that know the old name.
    dialect.has_old_ends = confirmation.is_none();
    let pending = list_pending(gate, thread).await?;
    dialect.is_asking = !pending.is_empty();
    let events = confirmation.into_iter().chain(write_opey_requests(&pending)).collect();
    dialect.asked = pending.into_iter().map(|call| call.id).collect();
    let opening = WrittenEvents { events, end: None };
    Ok(DialectStream::new(gate, thread, dialect.before, dialect).begins_with(opening))
}

async fn list_pending(gate: &EmbeddedGate, thread: &ThreadId) -> Result<Vec<Call>, GateError> {
    let page = PageQuery { after: 0, limit: api::MAX_PAGE };
    Ok(gate.pending(&LogFilter::of_thread(thread), page).await?.pending)
}

/// What became of decisions.
struct DecisionOutcome {
    /// The calls that were decided.
    calls: Vec<Call>,
    /// An `error` for each refused decision.
    refused: Vec<EventJson>,
}

/// Makes the decisions. Fails with the first refusal if all are refused.
async fn decide_all(
    gate: &EmbeddedGate,
    request: &BulkDecisionRequest,
) -> Result<DecisionOutcome, ProblemResponse> {
    let mut outcome = DecisionOutcome { calls: Vec::new(), refused: Vec::new() };
    let mut first = None;
    for answer in gate.decide_all(request).await? {
        match answer.outcome {
            Ok(call) => outcome.calls.push(call),
            Err(error) => {
                let detail = format!("{}: {}", answer.id, error.detail);
                outcome.refused.push(write_opey_failure(error.code.as_str(), &detail));
                first.get_or_insert(error);
            }
        }
    }
    match first.filter(|_| outcome.calls.is_empty()) {
        Some(error) => Err(error.into()),
        None => Ok(outcome),
    }
}

impl DecisionOutcome {
    /// The stream of what follows the decisions.
    fn follow(
        self,
        gate: &EmbeddedGate,
        thread: &ThreadId,
        mut dialect: OpeyDialect,
    ) -> DialectStream<OpeyDialect> {
        // A decision that was made before may have led to all that follows already.
        let asked_at = self.calls.iter().filter_map(|call| Some(call.request.as_ref()?.seq)).min();
        let after = asked_at.map_or(dialect.before, |asked| asked.min(dialect.before));
        dialect.decided = self.calls.into_iter().map(|call| call.id).collect();
        dialect.open.clone_from(&dialect.decided);
        let opening = WrittenEvents { events: self.refused, end: None };
        DialectStream::new(gate, thread, after, dialect).begins_with(opening)
    }
}
