//! `GET /v1/events` and `GET /v1/threads/{thread}/events`: a page of the log, or with
//! `Accept: text/event-stream` a stream of the missed events and then of new ones.

use super::log_tag::answer_by_log_tag;
use crate::{
    AppState,
    extract::{
        EventQuery, IfNoneMatch, LastEventId, QueryParameters, ReadGate, ThreadEventQuery, ThreadPath,
    },
    openapi::{self, refusals},
    problem::ProblemResponse,
    stream,
};
use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::Response,
};
use countersign_api::ApprovalGate;
use std::collections::BTreeMap;
use utoipa::{
    IntoResponses,
    openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder},
};

refusals!(Refusals: BadCursor, TooManyStreams);

/// Returns the log of all threads, as a page or as a stream.
///
/// With `Accept: text/event-stream`, the response is a stream of server-sent events: `id` is the event's cursor,
/// `event` is its type, and `data` is the event in JSON on one line. The stream sends first the events after
/// `Last-Event-ID`, or after `after`, and then new ones. An idle stream sends comments, so that the reader sees that it
/// is alive. `limit` has no effect on a stream, and `until` is rejected. A stream that fails ends with a message whose
/// `event` is `error` and whose `data` is the problem; this message has no `id`.
///
/// A cursor is the `seq` of an event, or the `id` of a message, which adds the first digits of its event's hash. A
/// cursor beyond the log's end, or whose event has another hash in this log, is refused with `bad_cursor`, because
/// events would be lost.
#[utoipa::path(
    get,
    path = "/v1/events",
    operation_id = "listEvents",
    tag = "log",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(EventQuery, IfNoneMatch, LastEventId),
    responses(LogSchema, IfNoneMatch, Refusals)
)]
pub(super) async fn list_all(
    State(app): State<AppState>,
    gate: ReadGate,
    query: EventQuery,
    headers: HeaderMap,
    last: LastEventId,
    cached: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer((&app, &gate), query, &headers, last, &cached).await
}

/// Returns a thread's log, as a page or as a stream.
///
/// Pages and streams work as for the log of all threads.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/events",
    operation_id = "listEventsOfThread",
    tag = "log",
    extensions(("x-access" = json!(ReadGate::describe_access()))),
    params(ThreadPath, ThreadEventQuery, IfNoneMatch, LastEventId),
    responses(LogSchema, IfNoneMatch, Refusals)
)]
pub(super) async fn list_in_thread(
    State(app): State<AppState>,
    gate: ReadGate,
    ThreadPath(thread): ThreadPath,
    query: ThreadEventQuery,
    headers: HeaderMap,
    last: LastEventId,
    cached: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer((&app, &gate), query.in_thread(thread), &headers, last, &cached).await
}

async fn answer<T>(
    (app, gate): (&AppState, &ReadGate),
    QueryParameters { page, filter, cursor, .. }: QueryParameters<T>,
    headers: &HeaderMap,
    LastEventId(last): LastEventId,
    cached: &IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    let accepted = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if accepted.is_some_and(|accept| accept.contains("text/event-stream")) {
        if filter.until.is_some() {
            let why = "until: a stream has no end; leave this parameter out, or request pages";
            return Err(ProblemResponse::invalid(why).with_parameter("until"));
        }
        // A browser that reconnects repeats `after` in the URL, but `Last-Event-ID` is newer.
        let is_resuming = last.is_some();
        let start = stream::StreamStart { after: last.unwrap_or(cursor), is_resuming };
        let place = app.limiter.open_stream(gate.identity())?;
        return stream::answer(app, gate, filter, start, place).await;
    }
    gate.check_cursor(&cursor).await?;
    answer_by_log_tag(gate, filter.thread_id.as_ref(), cached, gate.events(&filter, page)).await
}

/// The two formats in which responses show the log: a page and a stream.
struct LogSchema;

impl IntoResponses for LogSchema {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let page = ContentBuilder::new().schema(Some(Ref::from_schema_name("EventPage"))).build();
        let example =
            "retry: 1000\n\nid: 3-404ca37358ec2e18\nevent: TOOL_APPROVAL_RESPONSE\ndata: {\"seq\":3,…}\n\n";
        let stream = ContentBuilder::new().schema(Some(openapi::text(example))).build();
        let tag = openapi::header("The tag of a page, for `If-None-Match`.", openapi::text("W/\"5\""));
        let log = ResponseBuilder::new()
            .description("The events in order, as a page or as a stream.")
            .content("application/json", page)
            .content("text/event-stream", stream)
            .header("etag", tag);
        BTreeMap::from([("200".to_owned(), log.build().into())])
    }
}
