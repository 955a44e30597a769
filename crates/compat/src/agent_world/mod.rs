//! The interface of Agent World, whose threads are worlds: `POST /worlds/{thread}/messages` takes what a person says, with the
//! decisions in it, `POST /worlds/{thread}/tool-results` one decision, and both stream what follows;
//! `POST /worlds/{thread}/tool-calls` tells an agent whether it may run a tool. The clients have the base `/api`, too.

mod bodies;
mod events;
mod messages;
mod results;
#[cfg(test)]
mod tests;

use crate::{
    call_moment::CallMoment,
    dialect::{DialectStream, ThreadDialect, WrittenEvents},
    refusals,
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use bodies::{WorldToolAnswer, WorldToolRequest};
use countersign_api::{
    self as api, ApprovalGate, Call, CallGate, ConversationReader, ErrorCode, GateError, LogFilter,
    PageQuery, SendOperation, operations,
};
use countersign_events::{
    CallState, ConversationMessage, Decision, Event, EventType, Json as EventJson, MessageFormat, Source,
    ThreadId,
};
use countersign_server::interface::{
    AppState, ConverseGate, ExecuteGate, JsonBody, NoQuery, PrefersJson, ProblemResponse, ReadGate,
    ThreadPath, respond_with_stream,
};
use countersign_store::Clock;
use events::{
    agent_name, write_approval_message, write_world_failure, write_world_message, write_world_note,
    write_world_request,
};
use messages::{WorldMessageRequest, WorldMessages};
use results::WorldToolResult;
use std::{collections::BTreeSet, time::Duration};

refusals!(MessageRefusals: ThreadClosed, TooManyStreams);
refusals!(ToolRefusals: CallDiffers, AmbiguousArguments, ThreadClosed, TooManyPending);

/// A stream in which nothing happens for this time ends, as in Agent World.
const QUIET: Duration = Duration::from_mins(1);

/// The number of messages in which the last thing that a person said is looked for.
const MOST_LOOKED_AT: u16 = 100;

/// Takes what a person says in a world, with the decisions in it, and streams what follows.
///
/// `messages` is the conversation as the client of Agent World has it, or the results alone; `message` is one message at its
/// end. What the log does not have is added at the end, and nothing is replaced. Decisions are made as by
/// `POST /v1/threads/{thread}/messages`, also those in words, such as `@a1, approve_once shell_cmd`, and the results that a client
/// writes as text with the marker `__type`.
///
/// The stream has the events of Agent World. It ends after the request for a pending call, which the client answers by the
/// next request; after the agent's last message; or when nothing happens for a minute. With `Accept: application/json` or
/// `"stream": false`, the answer says what became of the messages and of each decision instead.
#[utoipa::path(
    post,
    path = "/worlds/{thread}/messages",
    operation_id = "worldAddMessages",
    tag = "agent-world",
    extensions(("x-access" = json!(ConverseGate::describe_access()))),
    params(ThreadPath),
    request_body(content = WorldMessageRequest),
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
    JsonBody(request): JsonBody<WorldMessageRequest>,
) -> Result<Response, ProblemResponse> {
    let is_json = is_json || request.stream == Some(false);
    let sent = request.read()?;
    if is_json {
        return Ok(Json(add(&gate, &thread, &sent).await?).into_response());
    }
    stream_after(&app, &gate, &thread, &sent, None).await
}

/// Takes a person's decision on a call in a world, and streams what follows.
///
/// The decision is made as one in `POST /worlds/{thread}/messages`, for which the tool and the arguments are compared with those
/// of the call. The stream begins with the confirmation `tool-result-submitted`, if the decision was made.
#[utoipa::path(
    post,
    path = "/worlds/{thread}/tool-results",
    operation_id = "worldAddResult",
    tag = "agent-world",
    extensions(("x-access" = json!(ConverseGate::describe_access()))),
    params(ThreadPath),
    request_body(content = WorldToolResult),
    responses(
        (status = 200, description = "The stream, or what became of the decision.", content(
            (api::MessagesReport = "application/json"),
            (String = "text/event-stream"),
        )),
        MessageRefusals
    )
)]
pub(super) async fn add_result(
    State(app): State<AppState>,
    gate: ConverseGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    PrefersJson(is_json): PrefersJson,
    JsonBody(result): JsonBody<WorldToolResult>,
) -> Result<Response, ProblemResponse> {
    let sent = WorldMessages::of_result(result.read()?);
    if is_json || result.stream == Some(false) {
        return Ok(Json(add(&gate, &thread, &sent).await?).into_response());
    }
    stream_after(&app, &gate, &thread, &sent, Some(result.confirmation())).await
}

/// Adds messages, and streams what follows. `confirmation` is the first event if no decision was refused.
async fn stream_after(
    app: &AppState,
    gate: &ConverseGate,
    thread: &ThreadId,
    sent: &WorldMessages,
    confirmation: Option<EventJson>,
) -> Result<Response, ProblemResponse> {
    let place = app.open_stream(gate)?;
    let before = gate.tip(Some(thread)).await?;
    let report = add(gate, thread, sent).await?;
    let page = PageQuery { after: 0, limit: api::MAX_PAGE };
    let pending = gate.pending(&LogFilter::of_thread(thread), page).await?.pending;
    let clock = app.clock();
    let own = report.messages.iter().filter(|message| message.stored).map(|message| message.seq).collect();
    let mut opening = write_opening(&report, &pending, clock);
    let is_made = report.decisions.iter().all(|decision| decision.detail.is_none());
    opening.events.splice(0..0, confirmation.filter(|_| is_made));
    let source = DialectStream::new(gate, thread, before, WorldDialect { own })
        .begins_with(opening)
        .ends_when_quiet(clock, QUIET);
    respond_with_stream(app, gate, source.into_messages(), place)
}

/// Adds what a client sends to the conversation.
async fn add(
    gate: &ConverseGate,
    thread: &ThreadId,
    sent: &WorldMessages,
) -> Result<api::MessagesReport, GateError> {
    check_agents(gate, thread, sent).await?;
    if sent.is_copy {
        return gate.add_copied_messages(thread, &sent.copy()).await;
    }
    let last_said = match sent.repeated {
        Some(_) => find_last_said(gate, thread).await?,
        None => None,
    };
    let mut made: Option<api::MessagesReport> = None;
    for body in sent.alone(last_said.as_deref())? {
        let report = gate.send(operations::AddMessages { thread: thread.clone(), body }).await?;
        made = Some(match made {
            None => report,
            Some(mut before) => {
                before.messages.extend(report.messages);
                before.decisions.extend(report.decisions);
                api::MessagesReport { length: report.length, pending: report.pending, ..before }
            }
        });
    }
    made.ok_or_else(|| GateError::invalid("messages", &"are empty"))
}

/// Refuses a result that names another agent than the call's.
async fn check_agents(gate: &ConverseGate, thread: &ThreadId, sent: &WorldMessages) -> Result<(), GateError> {
    for named in &sent.named {
        let proposer = match gate.call(thread, &named.call).await {
            Ok(call) => call.proposal.principal,
            // The report says that there is no such call.
            Err(error) if error.code == ErrorCode::UnknownCall => continue,
            Err(error) => return Err(error),
        };
        if agent_name(&proposer) != named.agent {
            let why = format!("call {} is one of {}", named.call, agent_name(&proposer));
            return Err(GateError::invalid("agentId", &why));
        }
    }
    Ok(())
}

/// What a person said last in the conversation.
async fn find_last_said(gate: &ConverseGate, thread: &ThreadId) -> Result<Option<String>, GateError> {
    let length = gate.messages(thread, PageQuery { after: 0, limit: 1 }).await?.length;
    let after = (i64::from(length) - i64::from(MOST_LOOKED_AT)).max(0);
    let page = gate.messages(thread, PageQuery { after, limit: MOST_LOOKED_AT.into() }).await?;
    let said = page.messages.into_iter().rev().find(|message| message.kind == EventType::UserMessage);
    Ok(said.map(|message| message.text))
}

/// Lists a world's conversation, and the request for each pending call: what a reopened client shows.
#[utoipa::path(
    get,
    path = "/worlds/{thread}/messages",
    operation_id = "worldListMessages",
    tag = "agent-world",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(ThreadPath),
    responses((status = 200, description = "The conversation, in the form of OpenAI.", body = api::ConversationView))
)]
pub(super) async fn list_messages(
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
) -> Result<Json<api::ConversationView>, ProblemResponse> {
    let view = gate.conversation_view(&thread, ConversationReader::Client, Some(MessageFormat::OpenAi));
    Ok(Json(view.await?))
}

/// Tells an agent in a world whether it may run a tool.
///
/// The first check of a call proposes it. If people decide, the answer is the marker `_stopProcessing` with the message that
/// asks them, and the agent ends its turn. When it tries the same call again, under whatever id, the answer is about the first
/// one. An allowed call is claimed (`POST /v1/threads/{thread}/tool-calls/{id}/claim`) before it runs.
#[utoipa::path(
    post,
    path = "/worlds/{thread}/tool-calls",
    operation_id = "worldCheckTool",
    tag = "agent-world",
    extensions(("x-access" = json!(ExecuteGate::describe_access()))),
    params(ThreadPath),
    request_body(content = WorldToolRequest),
    responses((status = 200, description = "Whether the tool may run.", body = WorldToolAnswer), ToolRefusals)
)]
pub(super) async fn check_tool(
    State(app): State<AppState>,
    gate: ExecuteGate,
    ThreadPath(thread): ThreadPath,
    _: NoQuery,
    JsonBody(request): JsonBody<WorldToolRequest>,
) -> Result<Json<WorldToolAnswer>, ProblemResponse> {
    let proposal = request.into_proposal()?;
    let call = match find_standing_call(&gate, &thread, &proposal, app.clock()).await? {
        Some(call) => call,
        None => gate.propose(&thread, &proposal).await?,
    };
    Ok(Json(WorldToolAnswer::from_call(call, write_approval_message)))
}

/// The earlier call by the same agent, with the same tool and arguments, that answers this one: the same call, one about which
/// people are asked, or an allowed one that has not started. An approval once answers for the policy's `remember` time, and not
/// while a denial does. Any other call is proposed, so that a session's decision or a denial answers it as the rules say.
async fn find_standing_call(
    gate: &ExecuteGate,
    thread: &ThreadId,
    proposal: &api::ProposeRequest,
    clock: &Clock,
) -> Result<Option<Call>, ProblemResponse> {
    let hash = proposal.arguments.admit().map_err(|why| GateError::invalid("toolArgs", &why))?;
    let earlier = api::find_earlier_calls(&**gate, thread, proposal, hash).await?;
    let (now, remember) = (clock.now(), gate.policy_in_force()?.remember());
    let by_person = |call: &Call| {
        let response = call.response.as_ref().filter(|response| response.source == Source::Approver);
        response.map(|response| (response.decision, response.at.after(remember) > now))
    };
    let is_denied = earlier.iter().any(|call| by_person(call) == Some((Decision::Deny, true)));
    let is_standing = |call: &Call| match by_person(call) {
        Some((Decision::AllowOnce, is_recent)) => is_recent && !is_denied,
        _ => true,
    };
    Ok(earlier.into_iter().find(|call| {
        call.id == proposal.id || call.is_pending() || (call.state == CallState::Allowed && is_standing(call))
    }))
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
