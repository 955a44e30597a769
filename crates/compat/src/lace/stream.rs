//! Lace's streams of the steps of calls: one of a session, whose messages are named by their type (July 2025), and one of all
//! sessions, whose messages are superjson (since August 2025; `EventStreamManager` and `useEventStream` in obra/lace).

use super::bodies::LaceRequestData;
use axum::body::Bytes;
use countersign_api::{ApprovalGate, Call, CallGate, EventStream, GateError, LogCursor, LogFilter};
use countersign_events::{Body, Event, EventType, Json, Status, ThreadId};
use countersign_gate::EmbeddedGate;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use serde_json::{Value, json};

/// How a stream writes its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaceForm {
    /// Plain JSON, in messages that are named by the event type.
    Named,
    /// superjson, in messages without a name.
    Superjson,
}

/// The threads of which a stream tells.
#[derive(Debug, Clone, Default)]
pub(super) struct LaceThreads {
    /// Sessions, with the threads of their agents. Without sessions and threads, all.
    pub(super) sessions: Vec<String>,
    /// Single threads.
    pub(super) threads: Vec<String>,
}

/// The session of an agent's thread: Lace adds a dot and a number for each agent.
pub(super) fn session_of(thread: &ThreadId) -> &str {
    thread.as_str().split_once('.').map_or(thread.as_str(), |(session, _)| session)
}

/// Returns true if the thread is the session or belongs to one of its agents.
pub(super) fn is_in_session(thread: &ThreadId, session: &str) -> bool {
    thread.as_str() == session
        || thread.as_str().strip_prefix(session).is_some_and(|rest| rest.starts_with('.'))
}

impl LaceThreads {
    fn has(&self, thread: &ThreadId) -> bool {
        let is_all = self.sessions.is_empty() && self.threads.is_empty();
        is_all
            || self.sessions.iter().any(|session| is_in_session(thread, session))
            || self.threads.iter().any(|other| other == thread.as_str())
    }
}

/// A stream for one client.
pub(super) struct LaceStream {
    gate: EmbeddedGate,
    events: EventStream,
    threads: LaceThreads,
    form: LaceForm,
    is_over: bool,
}

impl LaceStream {
    /// Streams what happens to calls after the event `after`.
    pub(super) fn new(gate: &EmbeddedGate, threads: LaceThreads, after: i64, form: LaceForm) -> Self {
        // The gate leaves out the threads that the caller does not see.
        let events = gate.with_retries().follow(LogFilter::default(), after);
        Self { gate: gate.clone(), events, threads, form, is_over: false }
    }

    /// The messages, without end.
    pub(super) fn into_messages(self) -> BoxStream<'static, Bytes> {
        stream::unfold(self, async |mut stream| stream.next().await.map(|message| (message, stream))).boxed()
    }

    /// The next message; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.is_over {
            let written = match self.events.next().await? {
                Ok(event) if self.threads.has(&event.thread_id) => write(&self.gate, &event)
                    .await
                    .map(|data| data.map(|data| message(&event, &data, self.form))),
                Ok(_) => Ok(None),
                Err(error) => Err(error),
            };
            match written {
                Ok(None) => {}
                Ok(message) => return message,
                Err(error) => {
                    self.is_over = true;
                    return Some(failure(&error));
                }
            }
        }
        None
    }
}

/// The first message of a session's stream, which its client waits for.
pub(super) fn connection(session: &ThreadId, at: countersign_events::Timestamp) -> Bytes {
    let data = json!({"sessionId": session.as_str(), "status": "connected", "timestamp": at.to_string()});
    format!("event: connection\ndata: {data}\n\n").into()
}

fn failure(error: &GateError) -> Bytes {
    let data = json!({"error": error.detail, "code": error.code()});
    format!("event: error\ndata: {data}\n\n").into()
}

/// The data of an event as Lace's client reads it; `None` for events that it does not know.
async fn write(gate: &EmbeddedGate, event: &Event) -> Result<Option<Value>, GateError> {
    let is_known = matches!(
        event.kind,
        EventType::ToolCall
            | EventType::ApprovalRequest
            | EventType::ApprovalResponse
            | EventType::ToolResult
    );
    let body = is_known.then(|| Body::read(event.seq, event.kind, &event.data).ok()).flatten();
    let Some(id) = body.as_ref().and_then(Body::call_id) else { return Ok(None) };
    // As it is now, with secrets masked: a client that resumes late shows no more than one that asks.
    let call = gate.with_retries().call(&event.thread_id, id).await?;
    Ok(Some(match event.kind {
        EventType::ApprovalRequest => value(&LaceRequestData::from_call(&call)),
        EventType::ApprovalResponse => {
            let decision = call.response.as_ref().map(|response| response.decision.as_str());
            json!({"toolCallId": call.id.as_str(), "decision": decision})
        }
        EventType::ToolResult => write_result(&call),
        _ => json!({
            "id": call.id.as_str(), "name": call.name.as_str(), "arguments": value(&call.arguments),
        }),
    }))
}

fn write_result(call: &Call) -> Value {
    let status = call.result.as_ref().map(|result| result.status);
    let text = call.result.as_ref().map(|result| text_of(&result.content)).unwrap_or_default();
    json!({
        "id": call.id.as_str(),
        "content": [{"type": "text", "text": text}],
        "status": status.map(Status::as_str),
        "isError": status != Some(Status::Success),
    })
}

fn text_of(content: &Json) -> String {
    content.read::<String>().unwrap_or_else(|_| content.as_str().to_owned())
}

fn value(data: &impl serde::Serialize) -> Value {
    serde_json::to_value(data).unwrap_or_default()
}

fn message(event: &Event, data: &Value, form: LaceForm) -> Bytes {
    let thread = event.thread_id.as_str();
    let body = json!({
        "id": event.seq.to_string(),
        "type": event.kind.as_str(),
        "threadId": thread,
        "timestamp": event.timestamp.to_string(),
        "data": data,
        "context": {"sessionId": session_of(&event.thread_id), "threadId": thread},
    });
    let id = LogCursor::of_event(event);
    match form {
        LaceForm::Named => format!("id: {id}\nevent: {}\ndata: {body}\n\n", event.kind.as_str()).into(),
        LaceForm::Superjson => {
            let whole = json!({"json": body, "meta": {"values": {"timestamp": ["Date"]}}});
            format!("id: {id}\ndata: {whole}\n\n").into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_has_the_threads_of_its_agents() {
        let thread = |id: &str| countersign_api::parse_thread_id(id).expect("an id");
        assert_eq!(session_of(&thread("lace_1.2")), "lace_1");
        assert!(is_in_session(&thread("lace_1.2"), "lace_1") && is_in_session(&thread("lace_1"), "lace_1"));
        assert!(
            !is_in_session(&thread("lace_12"), "lace_1") && !is_in_session(&thread("lace_1"), "lace_1.2")
        );
        let chosen = LaceThreads { sessions: vec!["a".to_owned()], threads: vec!["b.1".to_owned()] };
        assert!(chosen.has(&thread("a.7")) && chosen.has(&thread("b.1")) && !chosen.has(&thread("b.2")));
        assert!(LaceThreads::default().has(&thread("c")));
    }
}
