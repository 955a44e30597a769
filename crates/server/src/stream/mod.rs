//! The log as a stream of server-sent events: first the missed events, then new ones.
//!
//! Little is buffered here: the next events are read when the connection has accepted the previous ones, so a slow
//! reader delays no other reader and misses no event. A stream that fails reports the error in its last message: a reader that
//! only saw the stream end would reconnect and fail again without end.

mod messages;
mod replay;

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
use countersign_api::{ApprovalGate, ErrorCode, EventStream, LogCursor, LogFilter, MAX_PAGE, PageQuery};
use countersign_events::{Event, EventType, Timestamp};
use countersign_gate::EmbeddedGate;
use futures_util::{
    Stream, StreamExt,
    stream::{BoxStream, Peekable},
};
use replay::{MessageBatch, StreamEnd};
use std::{convert::Infallible, pin::Pin, sync::Arc};
use tracing::Span;

/// The first message: a browser reconnects after a pause of one second.
const RECONNECT: &[u8] = b"retry: 1000\n\n";

/// A comment, which shows that the stream is alive.
const HEARTBEAT: &[u8] = b": \n\n";

/// Where a stream starts.
pub(crate) struct StreamStart {
    /// The event after which the stream starts.
    pub(crate) after: LogCursor,
    /// Whether the reader has read the log up to `after` before, and now resumes.
    pub(crate) is_resuming: bool,
}

/// Stream messages, which are read when the connection has accepted the previous ones.
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
    if start.is_resuming {
        app.metrics.missed.inc_by(count_missed(gate, &filter, start.after.seq).await?);
    }
    // With retries: a database restart must not end the stream. A browser that reconnects and gets a 503 gives up.
    let events = gate.with_retries().follow(filter, start.after.seq).peekable();
    let source = LogSource { app: Arc::clone(app), events: Box::pin(events), missed_until };
    respond(app, gate, source, place)
}

/// Counts the approval requests after an event that a reader has missed, up to a page.
async fn count_missed(gate: &ReadGate, filter: &LogFilter, after: i64) -> Result<u64, ProblemResponse> {
    let is_wanted = filter.types.is_empty() || filter.types.contains(&EventType::ApprovalRequest);
    if !is_wanted {
        return Ok(0);
    }
    let requests = LogFilter { types: vec![EventType::ApprovalRequest], ..filter.clone() };
    let page = gate.events(&requests, PageQuery { after, limit: MAX_PAGE }).await?;
    Ok(u64::try_from(page.events.len()).unwrap_or(u64::MAX))
}

/// Responds with a stream of these messages. Refuses if the server is stopping.
pub(crate) fn respond<R: RequiredRight>(
    app: &AppState,
    gate: &AuthorizedGate<R>,
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

/// Responds with a stream of these messages. Refuses if the server is stopping.
pub fn respond_with_stream<R: RequiredRight>(
    app: &AppState,
    gate: &AuthorizedGate<R>,
    messages: BoxStream<'static, Bytes>,
    place: HeldPlace,
) -> Result<Response, ProblemResponse> {
    respond(app, gate, MessageSource(messages), place)
}

/// The messages of an interface. Dropping the future of the next message does not drop the work on it, which the stream
/// holds.
struct MessageSource(BoxStream<'static, Bytes>);

impl StreamSource for MessageSource {
    async fn next(&mut self) -> MessageBatch {
        match self.0.next().await {
            Some(bytes) => MessageBatch { bytes, end: None },
            None => MessageBatch { bytes: Bytes::new(), end: Some(StreamEnd::Closed) },
        }
    }
}

/// The log's events.
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

/// A stream reader: the gate that lists what the reader sees, and the span and id of the request that opened the
/// stream. Its middleware ends when the stream starts.
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
        // Set before a message is sent, so that a message reader can tell when the next heartbeat is due.
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
