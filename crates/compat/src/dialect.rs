//! The calls and messages of one thread, as events for another system's client.

use crate::call_moment::CallMoment;
use axum::body::Bytes;
use countersign_api::{
    ApprovalGate, Call, CallGate, EventStream, GateError, LogCursor, LogFilter, PageQuery,
};
use countersign_events::{Body, ConversationMessage, Event, Json, ThreadId, Timestamp};
use countersign_gate::EmbeddedGate;
use countersign_messages::read_message;
use countersign_store::Clock;
use futures_util::{
    FutureExt, StreamExt,
    stream::{self, BoxStream, Peekable},
};
use std::{pin::Pin, sync::Arc, time::Duration};

/// The client events for one log event.
#[derive(Default)]
pub(crate) struct WrittenEvents {
    /// What the client reads, in order.
    pub(crate) events: Vec<Json>,
    /// The marker behind the last of them, if the stream ends with them.
    pub(crate) end: Option<&'static str>,
}

/// How another system's client reads thread events.
pub(crate) trait ThreadDialect: Send + 'static {
    /// Writes what happened to a call, at the time of `event`.
    fn write_moment(&mut self, moment: CallMoment, call: &Call, event: &Event) -> WrittenEvents;

    /// Writes a conversation message, which shows these calls differently from the log.
    fn write_message(&mut self, _: &Event, _differs: &[String]) -> WrittenEvents {
        WrittenEvents::default()
    }

    /// Writes the stream's failure.
    fn write_failure(&self, error: &GateError) -> Json;

    /// The time that the stream waits for the next event, where it ends when quiet; `None` if it waits without end. `span`
    /// is the time that it was created with.
    fn patience(&self, span: Duration) -> Option<Duration> {
        Some(span)
    }
}

/// A thread's stream in a dialect.
pub(crate) struct DialectStream<D> {
    gate: EmbeddedGate,
    thread: ThreadId,
    events: Pin<Box<Peekable<EventStream>>>,
    dialect: D,
    opening: Option<WrittenEvents>,
    /// Whether each message has the cursor of its event as its id, so that a client can resume.
    has_ids: bool,
    quiet: Option<QuietLimit>,
    is_over: bool,
}

/// The time after which a stream without events ends.
struct QuietLimit {
    clock: Clock,
    span: Duration,
    until: Option<Timestamp>,
}

impl<D: ThreadDialect> DialectStream<D> {
    /// Streams what happens in the thread after the event `after`.
    pub(crate) fn new(gate: &EmbeddedGate, thread: &ThreadId, after: i64, dialect: D) -> Self {
        let events = gate.with_retries().follow(LogFilter::of_thread(thread), after).peekable();
        Self {
            gate: gate.clone(),
            thread: thread.clone(),
            events: Box::pin(events),
            dialect,
            opening: None,
            has_ids: false,
            quiet: None,
            is_over: false,
        }
    }

    /// Sends these events first.
    pub(crate) fn begins_with(self, opening: WrittenEvents) -> Self {
        Self { opening: Some(opening), ..self }
    }

    /// Gives each message an id.
    pub(crate) fn with_ids(self) -> Self {
        Self { has_ids: true, ..self }
    }

    /// Ends the stream if nothing happens for this time.
    pub(crate) fn ends_when_quiet(self, clock: &Clock, span: Duration) -> Self {
        let until = self.dialect.patience(span).map(|span| clock.now().after(span));
        Self { quiet: Some(QuietLimit { clock: clock.clone(), span, until }), ..self }
    }

    /// The next event of the log, which stays in the stream; `None` if there is none for too long.
    async fn peek(&mut self) -> Option<Option<Arc<Event>>> {
        let peeked = async { self.events.as_mut().peek().await.map(|event| event.as_ref().ok().cloned()) };
        let Some((clock, until)) = self.quiet.as_ref().and_then(|quiet| Some((&quiet.clock, quiet.until?)))
        else {
            return Some(peeked.await.flatten());
        };
        let is_late = async {
            while clock.now() < until {
                clock.sleep_until(until).await;
            }
        };
        tokio::select! {
            event = peeked => Some(event.flatten()),
            () = is_late => None,
        }
    }

    async fn write(&mut self, event: &Event) -> Result<WrittenEvents, GateError> {
        if event.kind.is_message() {
            let differs = differing_calls(&self.gate, &self.thread, event).await?;
            return Ok(self.dialect.write_message(event, &differs));
        }
        let Some(moment) = CallMoment::of_event(event.kind) else { return Ok(WrittenEvents::default()) };
        let Ok(body) = Body::read(event.seq, event.kind, &event.data) else {
            return Ok(WrittenEvents::default());
        };
        let Some(id) = body.call_id() else { return Ok(WrittenEvents::default()) };
        let call = self.gate.with_retries().call(&self.thread, id).await?;
        Ok(self.dialect.write_moment(moment, &call, event))
    }

    fn fail(&mut self, error: &GateError) -> Bytes {
        self.is_over = true;
        let written = WrittenEvents { events: vec![self.dialect.write_failure(error)], end: None };
        serialise(&written, None)
    }

    fn send(&mut self, written: &WrittenEvents, event: Option<&Event>) -> Bytes {
        self.is_over = written.end.is_some();
        if let Some(quiet) = &mut self.quiet {
            let patience = self.dialect.patience(quiet.span);
            quiet.until = patience.map(|span| quiet.clock.now().after(span));
        }
        serialise(written, event.filter(|_| self.has_ids))
    }

    /// The stream's messages, until it ends.
    pub(crate) fn into_messages(self) -> BoxStream<'static, Bytes> {
        stream::unfold(self, async |mut stream| stream.next().await.map(|message| (message, stream))).boxed()
    }

    /// The next message; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        if let Some(opening) = self.opening.take().filter(|opening| !opening.is_empty()) {
            return Some(self.send(&opening, None));
        }
        loop {
            let Some(event) = self.peek().await? else {
                let failed = self.events.next().now_or_never().flatten()?.err()?;
                return Some(self.fail(&failed));
            };
            let written = match self.write(&event).await {
                Ok(written) => written,
                Err(error) => return Some(self.fail(&error)),
            };
            let _taken = self.events.next().now_or_never();
            if !written.is_empty() {
                return Some(self.send(&written, Some(&event)));
            }
        }
    }
}

/// The calls that a message shows differently from the log: all that it names, if its place was taken meanwhile.
async fn differing_calls(
    gate: &EmbeddedGate,
    thread: &ThreadId,
    event: &Event,
) -> Result<Vec<String>, GateError> {
    let Ok(message) = event.data.read::<ConversationMessage>() else { return Ok(Vec::new()) };
    let page = PageQuery { after: i64::from(message.position), limit: 1 };
    let listed = gate.with_retries().messages(thread, page).await?.messages;
    let same = listed.into_iter().find(|listed| listed.seq == event.seq);
    Ok(same.map_or_else(|| proposed_calls(&message), |listed| listed.differs))
}

fn proposed_calls(message: &ConversationMessage) -> Vec<String> {
    read_message(message.format, &message.content).map_or_else(|_| Vec::new(), |read| read.proposes)
}

impl WrittenEvents {
    fn is_empty(&self) -> bool {
        self.events.is_empty() && self.end.is_none()
    }
}

/// Creates the messages. The last one for an event has the id, so that a client that got only some of them gets all again.
fn serialise(written: &WrittenEvents, event: Option<&Event>) -> Bytes {
    let last = written.events.len().saturating_sub(1);
    let mut lines = Vec::new();
    for (index, data) in written.events.iter().enumerate() {
        if let Some(event) = event.filter(|_| index == last) {
            lines.push(format!("id: {}\n", LogCursor::of_event(event)));
        }
        // JSON has line breaks only between tokens, where a space means the same.
        lines.push(format!("data: {}\n\n", data.as_str().replace(['\n', '\r'], " ")));
    }
    lines.extend(written.end.filter(|end| !end.is_empty()).map(|end| format!("data: {end}\n\n")));
    lines.concat().into()
}
