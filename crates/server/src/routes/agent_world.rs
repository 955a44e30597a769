//! The interface of Agent World, whose threads are worlds: `POST /worlds/{thread}/messages` takes what a person says, with the
//! decisions in it, and streams what follows; `POST /worlds/{thread}/tool-calls` tells an agent whether it may run a tool.

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{ConverseGate, ExecuteGate, JsonBody, NoQuery, PrefersJson, ReadGate, ThreadPath},
    openapi::refusals,
    problem::ProblemResponse,
    stream::{self, DialectStream, ThreadDialect, WrittenEvents},
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use countersign_api::{self as api, ApprovalGate, Call, ConversationReader, GateError, LogFilter, PageQuery};
use countersign_gate::{
    CallState, Clock, Event, Json as EventJson, ThreadId,
    event::{ConversationMessage, MessageFormat},
    messages::{
        CallMoment, write_approval_message, write_world_failure, write_world_message, write_world_note,
        write_world_request,
    },
};
use std::{collections::BTreeSet, time::Duration};

refusals!(MessageRefusals: ThreadClosed, TooManyStreams);
refusals!(ToolRefusals: CallDiffers, AmbiguousArguments, ThreadClosed, TooManyPending);

/// A stream in which nothing happens for this time ends, as in Agent World.
const QUIET: Duration = Duration::from_mins(1);

/// A denial by a person answers the same call of the same agent for this time, as in Agent World.
const DENIAL_MEMORY: Duration = Duration::from_mins(5);

/// Takes what a person says in a world, with the decisions in it, and streams what follows.
///
/// `messages` is the conversation, as the client of Agent World sends it again after each decision; `message` alone is one
/// message at its end. Decisions are made as by `POST /v1/threads/{thread}/messages`, also those in words, such as
/// `@a1, approve_once shell_cmd`.
///
/// The stream has the events of Agent World. It ends after the request for a pending call, which the client answers by the
/// next request; after the last word of the agent; or when nothing happens for a minute. With `Accept: application/json`, the
/// answer says what became of the messages and of each decision instead.
#[utoipa::path(
    post,
    path = "/worlds/{thread}/messages",
    operation_id = "worldAddMessages",
    tag = "agent-world",
    params(ThreadPath),
    request_body(content = api::WorldMessageRequest),
    responses(
        (status = 200, description = "The stream, or what became of the messages.", content(
            (api::MessagesReport = "application/json"),
            (String = "text/event-stream"),
        )),
        MessageRefusals
    )
)]
pub(super) async fn add_messages(
    State(app): State<AppState>,
    gate: ConverseGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    PrefersJson(is_json): PrefersJson,
    JsonBody(request): JsonBody<api::WorldMessageRequest>,
) -> Result<Response, ProblemResponse> {
    let messages = request.into_messages()?;
    if is_json {
        return Ok(Json(gate.add_messages(&thread, &messages).await?).into_response());
    }
    let place = app.limiter.open_stream(gate.identity())?;
    let before = gate.tip(Some(&thread)).await?;
    let report = gate.add_messages(&thread, &messages).await?;
    let page = PageQuery { after: 0, limit: api::MAX_PAGE };
    let pending = gate.pending(&LogFilter::of_thread(&thread), page).await?.pending;
    let clock = &app.options.clock;
    let own = report.messages.iter().filter(|message| message.stored).map(|message| message.seq).collect();
    let opening = write_opening(&report, &pending, clock);
    let source = DialectStream::new(&gate, &thread, (opening, before), WorldDialect { own })
        .ends_when_quiet(clock, QUIET);
    stream::respond((&app, &gate), source, place)
}

/// Lists the conversation of a world, and the request for each pending call: what a client shows that was opened again.
#[utoipa::path(
    get,
    path = "/worlds/{thread}/messages",
    operation_id = "worldListMessages",
    tag = "agent-world",
    params(ThreadPath),
    responses((status = 200, description = "The conversation, in the form of OpenAI.", body = api::ConversationView))
)]
pub(super) async fn list_messages(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
) -> RouteAnswer<api::ConversationView> {
    let view = gate.conversation_view(&thread, ConversationReader::Client, Some(MessageFormat::OpenAi));
    Ok(Json(view.await?))
}

/// Tells an agent of a world whether it may run a tool.
///
/// The first check of a call proposes it. If people decide, the answer is the marker `_stopProcessing` with the message that
/// asks them, and the agent ends its turn. When it tries the same call again, under whatever id, the answer is about the first
/// one. An allowed call is claimed (`POST /v1/threads/{thread}/tool-calls/{id}/claim`) before it runs.
#[utoipa::path(
    post,
    path = "/worlds/{thread}/tool-calls",
    operation_id = "worldCheckTool",
    tag = "agent-world",
    params(ThreadPath),
    request_body(content = api::WorldToolRequest),
    responses((status = 200, description = "Whether the tool may run.", body = api::WorldToolAnswer), ToolRefusals)
)]
pub(super) async fn check_tool(
    State(app): State<AppState>,
    gate: ExecuteGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    JsonBody(request): JsonBody<api::WorldToolRequest>,
) -> RouteAnswer<api::WorldToolAnswer> {
    let proposal = request.into_proposal()?;
    let call = match find_standing_call(&gate, &thread, &proposal, &app.options.clock).await? {
        Some(call) => call,
        None => gate.propose(&thread, &proposal).await?,
    };
    Ok(Json(api::WorldToolAnswer::from_call(call, write_approval_message)))
}

/// The call of the same agent, tool and arguments that answers this one: it is open, or a person has denied it recently.
async fn find_standing_call(
    gate: &ExecuteGate,
    thread: &ThreadId,
    proposal: &api::ProposeRequest,
    clock: &Clock,
) -> Result<Option<Call>, ProblemResponse> {
    let hash = proposal.arguments.admit().map_err(|why| GateError::invalid("toolArgs", &why))?;
    let earlier = api::find_earlier_calls(&**gate, thread, proposal, hash).await?;
    let is_denied = |call: &Call| {
        let decided_at = call.response.as_ref().map(|response| response.at);
        let is_recent = decided_at.is_some_and(|at| clock.now().since(at) <= DENIAL_MEMORY);
        call.state == CallState::Denied && call.was_asked() && is_recent
    };
    Ok(earlier.into_iter().find(|call| call.id == proposal.id || call.is_open() || is_denied(call)))
}

/// What a client reads first: the decisions that did nothing, and the request for each pending call.
fn write_opening(report: &api::MessagesReport, pending: &[Call], clock: &Clock) -> WrittenEvents {
    let now = clock.now();
    let refused = report.decisions.iter().filter_map(|decision| decision.detail.as_deref());
    let mut events: Vec<_> = refused.map(|why| write_world_note(why, now)).collect();
    events.extend(pending.iter().flat_map(|call| write_world_request(call, now)));
    // The client answers the requests in its next request.
    WrittenEvents { events, end: (!pending.is_empty()).then_some("") }
}

/// The events of Agent World for one request.
struct WorldDialect {
    /// The messages that the request itself has stored.
    own: BTreeSet<i64>,
}

impl ThreadDialect for WorldDialect {
    fn write_moment(&mut self, moment: CallMoment, call: &Call, event: &Event) -> WrittenEvents {
        if moment != CallMoment::Asked {
            return WrittenEvents::default();
        }
        WrittenEvents { events: write_world_request(call, event.timestamp).into(), end: Some("") }
    }

    fn write_message(&mut self, event: &Event, differs: &[String]) -> WrittenEvents {
        let Ok(message) = event.data.read::<ConversationMessage>() else { return WrittenEvents::default() };
        if self.own.contains(&event.seq) {
            return WrittenEvents::default();
        }
        let (written, is_last_word) = write_world_message(event, &message, differs);
        WrittenEvents { events: vec![written], end: is_last_word.then_some("") }
    }

    fn write_failure(&self, error: &GateError) -> EventJson {
        write_world_failure(&error.detail)
    }
}
