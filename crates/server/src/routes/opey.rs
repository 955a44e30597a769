//! The interface of Opey: `GET /approval/{thread}`, the stream of its events, and `POST /approval/{thread}`, a decision.

use crate::{
    AppState,
    extract::{DecideGate, JsonBody, LastEventId, NoQuery, PrefersJson, ReadGate, ThreadPath},
    openapi::refusals,
    problem::ProblemResponse,
    stream::{self, DialectStream, ThreadDialect, WrittenEvents},
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, ApprovalGate, Call, GateError, LogFilter, PageQuery};
use countersign_gate::{
    CallId, Event, Json as EventJson,
    messages::{CallMoment, write_opey_event, write_opey_failure},
};
use std::collections::BTreeSet;

refusals!(FollowRefusals: BadCursor, TooManyStreams);
refusals!(
    DecideRefusals: UnknownCall, NotAnApprover, SelfApproval, NotEligible, ProofRequired, AlreadyDecided, AlreadyVoted, Blocked,
    NotOffered, TooManyStreams
);

/// The last message of a stream that ends.
const DONE: &str = "[DONE]";

/// Streams what happens to the calls of a thread, for a client of Opey.
///
/// The stream begins with an `approval_request` for each pending call, the oldest first, at most 1,000. Then follow
/// `approval_request`, `tool_start`, `tool_complete` and `error`, each as the `data` of a message. With `Last-Event-ID`, it
/// begins with what the client missed. With `Accept: application/json`, the answer is the list of the pending calls.
#[utoipa::path(
    get,
    path = "/approval/{thread}",
    operation_id = "opeyFollow",
    tag = "opey",
    params(ThreadPath, LastEventId),
    responses(
        (status = 200, description = "The stream, or the pending calls.", content(
            (api::OpeyPendingList = "application/json"),
            (String = "text/event-stream"),
        )),
        FollowRefusals
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
    let page = PageQuery { after: 0, limit: api::MAX_PAGE };
    if is_json {
        let pending = gate.pending(&LogFilter::of_thread(&thread), page).await?.pending;
        let pending = pending.iter().map(|call| write_opey_event(CallMoment::Asked, call)).collect();
        return Ok(Json(api::OpeyPendingList { pending }).into_response());
    }
    let place = app.limiter.open_stream(gate.identity())?;
    if let Some(last) = last {
        gate.check_cursor(&last).await?;
        let start = (WrittenEvents::default(), last.seq);
        let source = DialectStream::new(&gate, &thread, start, OpeyDialect::default()).with_ids();
        return stream::respond((&app, &gate), source, place);
    }
    // In this order, a call that is proposed meanwhile is in the list, in the stream, or in both; the dialect drops it there.
    let tip = gate.tip(Some(&thread)).await?;
    let pending = gate.pending(&LogFilter::of_thread(&thread), page).await?.pending;
    let opening = pending.iter().map(|call| write_opey_event(CallMoment::Asked, call)).collect();
    let asked = pending.into_iter().map(|call| call.id).collect();
    let dialect = OpeyDialect { asked, decided: None };
    let source = DialectStream::new(&gate, &thread, (WrittenEvents::more(opening), tip), dialect).with_ids();
    stream::respond((&app, &gate), source, place)
}

/// Decides on a call, for a client of Opey.
///
/// The answer is a stream of what follows: `tool_start` and `tool_complete` if the call runs, requests for other calls, and
/// `[DONE]` when the call has ended. With `Accept: application/json`, the answer is the call instead. A client that decides on
/// scopes, comments or edits uses `POST /v1/threads/{thread}/approvals/{id}`, whose rules are the same.
#[utoipa::path(
    post,
    path = "/approval/{thread}",
    operation_id = "opeyDecide",
    tag = "opey",
    params(ThreadPath),
    request_body(content = api::OpeyDecision),
    responses(
        (status = 200, description = "The decision or the vote is recorded.", content(
            (api::Call = "application/json"),
            (String = "text/event-stream"),
        )),
        DecideRefusals
    )
)]
pub(super) async fn decide(
    State(app): State<AppState>,
    gate: DecideGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    PrefersJson(is_json): PrefersJson,
    JsonBody(request): JsonBody<api::OpeyDecision>,
) -> Result<Response, ProblemResponse> {
    if is_json {
        let call = gate.decide(&thread, &request.tool_call_id, &request.decision()).await?;
        return Ok(Json(call).into_response());
    }
    // The place first: a decision whose answer is refused would surprise.
    let place = app.limiter.open_stream(gate.identity())?;
    let before = gate.tip(Some(&thread)).await?;
    let call = gate.decide(&thread, &request.tool_call_id, &request.decision()).await?;
    // A decision that was made before may have led to all that follows already.
    let asked_at = call.request.as_ref().map_or(before, |asked| asked.seq);
    let decided = OpeyDecided { call: call.id, before };
    let dialect = OpeyDialect { asked: BTreeSet::new(), decided: Some(decided) };
    let source =
        DialectStream::new(&gate, &thread, (WrittenEvents::default(), asked_at.min(before)), dialect);
    stream::respond((&app, &gate), source, place)
}

/// The events of Opey for one client.
#[derive(Default)]
struct OpeyDialect {
    /// The calls that the client was asked about.
    asked: BTreeSet<CallId>,
    decided: Option<OpeyDecided>,
}

/// The decision that the client has just made. The stream ends with the call.
struct OpeyDecided {
    call: CallId,
    /// The last event of the thread before the decision. The client has seen what happened to other calls until then.
    before: i64,
}

impl ThreadDialect for OpeyDialect {
    fn write_moment(&mut self, moment: CallMoment, call: &Call, event: &Event) -> WrittenEvents {
        let decided = self.decided.as_ref();
        let is_decided = decided.is_some_and(|decided| decided.call == call.id);
        let is_known = decided.is_some_and(|decided| event.seq <= decided.before) && !is_decided;
        let is_repeated = moment == CallMoment::Asked && (is_decided || !self.asked.insert(call.id.clone()));
        if is_known || is_repeated {
            return WrittenEvents::default();
        }
        let end = (is_decided && moment == CallMoment::Ended).then_some(DONE);
        WrittenEvents { events: vec![write_opey_event(moment, call)], end }
    }

    fn write_failure(&self, error: &GateError) -> EventJson {
        write_opey_failure(error.code.as_str(), &error.detail)
    }
}
