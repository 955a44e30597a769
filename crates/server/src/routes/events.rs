//! `GET /v1/events` and `GET /v1/threads/{thread}/events`: a page of the log, or with
//! `Accept: text/event-stream` a stream that first brings what was missed and then what comes.

use super::log_tag::answer_by_log_tag;
use crate::{
    AppState,
    extract::{EventsOf, EventsOfThread, IfNoneMatch, LastEventId, OfThread, QueryParameters},
    openapi,
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

/// The log of all threads, as a page or as a stream.
///
/// With `Accept: text/event-stream` the answer is a stream of server-sent events: `id` is the `seq`, `event`
/// the type, `data` the event in JSON on one line. It first brings what came after `Last-Event-ID`, or after
/// `after`, and then what comes. A comment tells that it lives. `limit` means nothing to a stream. One that fails
/// ends with a message whose `event` is `error` and whose `data` is the problem; it has no `id`.
#[utoipa::path(
    get,
    path = "/v1/events",
    operation_id = "listEvents",
    tag = "log",
    params(EventsOf, IfNoneMatch, LastEventId),
    responses(LogSchema, IfNoneMatch)
)]
pub(super) async fn everywhere(
    State(app): State<AppState>,
    query: EventsOf,
    headers: HeaderMap,
    last: LastEventId,
    have: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(app, query, &headers, last, &have).await
}

/// The log of one thread, as a page or as a stream.
///
/// As the log of all threads, and of nothing but this one.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}/events",
    operation_id = "listEventsOfThread",
    tag = "log",
    params(OfThread, EventsOfThread, IfNoneMatch, LastEventId),
    responses(LogSchema, IfNoneMatch)
)]
pub(super) async fn of_thread(
    State(app): State<AppState>,
    OfThread(thread): OfThread,
    query: EventsOfThread,
    headers: HeaderMap,
    last: LastEventId,
    have: IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    answer(app, query.in_thread(thread), &headers, last, &have).await
}

async fn answer<T>(
    app: AppState,
    QueryParameters { page, filter, .. }: QueryParameters<T>,
    headers: &HeaderMap,
    LastEventId(last): LastEventId,
    have: &IfNoneMatch,
) -> Result<Response, ProblemResponse> {
    let accepted = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if accepted.is_some_and(|accept| accept.contains("text/event-stream")) {
        if filter.until.is_some() {
            let why = "until: a stream goes on for as long as you read it; leave this out, or ask for pages";
            return Err(ProblemResponse::invalid(why).with_parameter("until"));
        }
        // A browser that reconnects says how far it came; that is newer than what its address says.
        let from = stream::StreamStart { after: last.unwrap_or(page.after), again: last.is_some() };
        return stream::answer(app, filter, from).await;
    }
    answer_by_log_tag(&app, filter.thread_id.as_ref(), have, app.gate.events(&filter, page)).await
}

/// The two shapes that the log is answered in.
struct LogSchema;

impl IntoResponses for LogSchema {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let page = ContentBuilder::new().schema(Some(Ref::from_schema_name("EventPage"))).build();
        let example = "retry: 1000\n\nid: 3\nevent: TOOL_APPROVAL_RESPONSE\ndata: {\"seq\":3,…}\n\n";
        let stream = ContentBuilder::new().schema(Some(openapi::text(example))).build();
        let tag = openapi::header("The tag of a page, for `If-None-Match`.", openapi::text("W/\"5\""));
        let log = ResponseBuilder::new()
            .description("The events, in order; or the stream of them.")
            .content("application/json", page)
            .content("text/event-stream", stream)
            .header("etag", tag);
        BTreeMap::from([("200".to_owned(), log.build().into())])
    }
}
