//! The log as a stream of server-sent events: first the missed events, then new ones.
//!
//! Little is buffered here: the next events are read when the connection has accepted the previous ones, so a slow
//! reader delays no other reader and misses no event. A stream that fails reports the error in its last message: a reader that
//! only saw the stream end would reconnect and fail again without end.

mod dialect;
mod messages;
mod replay;

pub(crate) use dialect::{DialectStream, ThreadDialect, WrittenEvents};
pub(crate) use replay::ReplayQueue;

use crate::{
    AppState,
    extract::{AuthorizedGate, ReadGate, RequiredRight},
    limits::HeldPlace,
    problem::ProblemResponse,
    request_id,
};
use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use countersign_api::{ApprovalGate, ErrorCode, EventStream, LogCursor, LogFilter};
use countersign_gate::{EmbeddedGate, Event, EventType, Timestamp};
use futures_util::{Stream, StreamExt, stream::Peekable};
use replay::{MessageBatch, StreamEnd};
use std::{convert::Infallible, pin::Pin, sync::Arc};
use tracing::Span;

/// The first message: a browser reconnects after a pause of one second.
const RECONNECT: &[u8] = b"retry: 1000\n\n";

/// A comment, which shows that the stream is alive.
const HEARTBEAT: &[u8] = b": \n\n";

/// The place where a stream begins.
pub(crate) struct StreamStart {
    /// The event after which the stream begins.
    pub(crate) after: LogCursor,
    /// True if the reader has read the log up to `after` before, and now resumes.
    pub(crate) is_resuming: bool,
}

/// The messages of a stream, which are read when the connection has accepted the previous ones.
pub(crate) trait StreamSource: Send + 'static {
    /// Waits for the next messages. If the future is dropped, nothing is lost.
    fn next(&mut self) -> impl Future<Output = MessageBatch> + Send;
}

/// Responds with the log as a stream. Refuses if the server is stopping.
pub(crate) async fn answer(
    app: &AppState,
    gate: &ReadGate,
    filter: LogFilter,
    start: StreamStart,
    place: HeldPlace,
) -> Result<Response, ProblemResponse> {
    // A problem instead of a stream: a browser that got a stream would reconnect with the same cursor without end.
    gate.check_cursor(&start.after).await?;
    // Events that exist when a reader resumes are those that it would have missed.
    let missed_until = if start.is_resuming { gate.tip(None).await? } else { 0 };
    // With retries: a restart of the database must not end the stream. A browser that reconnects and gets a 503 gives up.
    let events = gate.with_retries().follow(filter, start.after.seq).peekable();
    let source = LogSource { app: Arc::clone(app), events: Box::pin(events), missed_until };
    respond((app, gate), source, place)
}

/// Responds with a stream of these messages. Refuses if the server is stopping.
pub(crate) fn respond<R: RequiredRight>(
    (app, gate): (&AppState, &AuthorizedGate<R>),
    source: impl StreamSource,
    place: HeldPlace,
) -> Result<Response, ProblemResponse> {
    if app.stop.is_cancelled() {
        return Err(ProblemResponse::shutting_down());
    }
    let stream =
        stream(Arc::clone(app), StreamCaller::from_gate(gate), source, place).map(Ok::<_, Infallible>);
    let mut response = Body::from_stream(stream).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, const { HeaderValue::from_static("text/event-stream") });
    headers.insert(header::CACHE_CONTROL, const { HeaderValue::from_static("no-store") });
    // Tells proxies not to buffer the stream.
    headers.insert("x-accel-buffering", const { HeaderValue::from_static("no") });
    Ok(response)
}

/// The events of the log.
struct LogSource {
    app: AppState,
    events: Pin<Box<Peekable<EventStream>>>,
    /// The last event that the reader would have missed.
    missed_until: i64,
}

impl StreamSource for LogSource {
    async fn next(&mut self) -> MessageBatch {
        let (app, missed_until) = (&self.app, self.missed_until);
        let count_recovered = |event: &Event| {
            if event.seq <= missed_until && event.kind == EventType::ApprovalRequest {
                app.metrics.recovered.inc();
            }
        };
        app.replay.next_batch(self.events.as_mut(), count_recovered).await
    }
}

/// The reader of a stream: the gate that lists what the reader sees, and the span and id of the request that opened the
/// stream. Its middleware ends when the stream begins.
struct StreamCaller {
    gate: EmbeddedGate,
    /// The token or session of the reader, and the time from which it is not accepted.
    token: Option<String>,
    expires_at: Option<Timestamp>,
    span: Span,
    id: Option<String>,
}

impl StreamCaller {
    fn from_gate<R: RequiredRight>(gate: &AuthorizedGate<R>) -> Self {
        let identity = gate.identity();
        Self {
            gate: EmbeddedGate::clone(gate),
            token: identity.token().map(str::to_owned),
            expires_at: identity.expires_at(),
            span: Span::current(),
            id: request_id::request_id(),
        }
    }

    /// The last message of the stream, if the reader's credential has ended.
    fn end_of_credential(&self) -> Option<Bytes> {
        if self.gate.is_token_accepted(self.token.as_deref()) {
            return None;
        }
        let problem =
            ProblemResponse::new(ErrorCode::Unauthenticated, "the credential of this stream has ended");
        Some(error_message(problem.with_request_id(self.id.clone())))
    }
}

fn stream(
    app: AppState,
    reader: StreamCaller,
    mut source: impl StreamSource,
    place: HeldPlace,
) -> impl Stream<Item = Bytes> {
    async_stream::stream! {
        let _counted = (app.metrics.count_stream(), place);
        let (clock, heartbeat) = (&app.options.clock, app.options.heartbeat);
        // Set before a message is sent, so that a reader of the message can tell when the next heartbeat is due.
        let mut due = clock.now().after(heartbeat);
        let mut tokens = reader.gate.watch_tokens();
        yield Bytes::from_static(RECONNECT);
        loop {
            tokio::select! {
                () = app.stop.cancelled() => return,
                Ok(()) = tokens.changed(), if reader.token.is_some() => {
                    if let Some(last) = reader.end_of_credential() {
                        yield last;
                        return;
                    }
                }
                batch = source.next() => {
                    due = clock.now().after(heartbeat);
                    if let Some(last) = reader.end_of_credential() {
                        yield last;
                        return;
                    }
                    if !batch.bytes.is_empty() {
                        yield batch.bytes;
                    }
                    match batch.end {
                        None => {}
                        Some(StreamEnd::Closed) => return,
                        Some(StreamEnd::Failed(error)) => {
                            let problem = reader.span.in_scope(|| ProblemResponse::from(error));
                            yield error_message(problem.with_request_id(reader.id));
                            return;
                        }
                    }
                }
                () = clock.sleep_until(reader.expires_at.map_or(due, |end| end.min(due))) => {
                    if let Some(last) = reader.end_of_credential() {
                        yield last;
                        return;
                    }
                    // The system clock may wake the task early; then sleep again.
                    if due <= clock.now() {
                        due = clock.now().after(heartbeat);
                        yield Bytes::from_static(HEARTBEAT);
                    }
                }
            }
        }
    }
}

/// Creates the last message of a failed stream. It has no id, so that a client that reconnects resumes after the last
/// event.
fn error_message(problem: ProblemResponse) -> Bytes {
    let data = serde_json::to_string(&problem.into_problem()).unwrap_or_default();
    Bytes::from(format!("event: error\ndata: {data}\n\n"))
}
