//! The log as a stream of server-sent events: first what was missed, then what comes.
//!
//! Nothing is buffered here: the next event is fetched when the connection has taken the one before, so a
//! slow reader delays no other, and misses nothing. A stream that fails says so with its last
//! message: a reader that only saw it end would reconnect and fail again without end.

use crate::{AppState, problem::ProblemResponse, request_id};
use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response, Sse, sse::Event as Message},
};
use countersign_api::{ApprovalGate, LogFilter};
use countersign_gate::{Event, EventType};
use futures_util::{Stream, StreamExt};
use std::{convert::Infallible, time::Duration};
use tracing::Span;

/// The pause before a browser reconnects.
const RECONNECT: Duration = Duration::from_secs(1);

/// From where a reader takes the stream up.
pub(crate) struct StreamStart {
    /// The `seq` after which it begins.
    pub(crate) after: i64,
    /// True if the reader has read it before, up to there.
    pub(crate) again: bool,
}

/// Answers with the stream.
pub(crate) async fn answer(
    app: AppState,
    filter: LogFilter,
    from: StreamStart,
) -> Result<Response, ProblemResponse> {
    if app.stop.is_cancelled() {
        return Err(ProblemResponse::shutting_down());
    }
    // What is there already when a reader comes back is what it would have missed.
    let missed = if from.again { app.gate.tip(None).await? } else { 0 };
    let stream = stream(app, filter, from.after, missed, StreamRequest::now()).map(Ok::<_, Infallible>);
    let mut response = Sse::new(stream).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, const { HeaderValue::from_static("no-store") });
    // Proxies that would collect the stream before they pass it on are told not to.
    headers.insert("x-accel-buffering", const { HeaderValue::from_static("no") });
    Ok(response)
}

/// The request that a stream answers. Its middleware ends when the stream begins.
struct StreamRequest {
    span: Span,
    id: Option<String>,
}

impl StreamRequest {
    fn now() -> Self {
        Self { span: Span::current(), id: request_id::request_id() }
    }
}

fn stream(
    app: AppState,
    filter: LogFilter,
    after: i64,
    missed: i64,
    asked: StreamRequest,
) -> impl Stream<Item = Message> {
    async_stream::stream! {
        let _counted = app.metrics.count_stream();
        let (clock, heartbeat) = (&app.options.clock, app.options.heartbeat);
        // A database that restarts does not end the stream: a browser that comes back to a 503 gives up.
        let mut events = app.gate.with_retries().follow(filter, after);
        // Counted from before each message, so that a reader of one message knows when the next is due.
        let mut due = clock.now().after(heartbeat);
        yield Message::default().retry(RECONNECT);
        loop {
            tokio::select! {
                () = app.stop.cancelled() => return,
                event = events.next() => {
                    due = clock.now().after(heartbeat);
                    match event {
                        Some(Ok(event)) => {
                            if event.seq <= missed && event.kind == EventType::ApprovalRequest {
                                app.metrics.recovered.inc();
                            }
                            yield message(&event);
                        }
                        Some(Err(error)) => {
                            let problem = asked.span.in_scope(|| ProblemResponse::from(error));
                            yield error_message(problem.with_request_id(asked.id));
                            return;
                        }
                        None => return,
                    }
                }
                () = clock.sleep_until(due) => {
                    // A clock of the machine's may wake early, and is asked again.
                    if due <= clock.now() {
                        due = clock.now().after(heartbeat);
                        yield Message::default().comment("");
                    }
                }
            }
        }
    }
}

/// One message. Its data is one line: a line break in JSON can only be between tokens, where a space means the same.
fn message(event: &Event) -> Message {
    let data = serde_json::to_string(event).unwrap_or_default().replace(['\n', '\r'], " ");
    Message::default().id(event.seq.to_string()).event(event.kind.to_string()).data(data)
}

/// The last message of a stream that fails. It has no id, so a client that reconnects resumes after the last event.
fn error_message(problem: ProblemResponse) -> Message {
    Message::default().event("error").data(serde_json::to_string(&problem.into_problem()).unwrap_or_default())
}
