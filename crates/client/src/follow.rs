//! The stream of events of a server, which resumes after its last event when the connection breaks.

use crate::{
    SseMessage, SseParser,
    connection::{ServerConnection, sleep},
};
use countersign_api::{GateError, LogCursor, LogFilter, Problem, retry::retry};
use countersign_events::Event;
use futures_util::Stream;
use reqwest::Response;
use std::{sync::Arc, time::Duration};

/// The pause before the stream is opened again, after a stream that delivered events.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The longest pause, after several streams that delivered no event.
const LAST_PAUSE: Duration = Duration::from_secs(2);

/// The most bytes of an event. The server limits what an event holds to less.
const MAX_EVENT_BYTES: usize = 256 * 1024 * 1024;

impl ServerConnection {
    pub(crate) fn follow(
        self: Arc<Self>,
        filter: LogFilter,
        after: i64,
    ) -> impl Stream<Item = Result<Arc<Event>, GateError>> + Send {
        async_stream::stream! {
            // The cursor carries the last event's hash, so that the server notices if its log is another one now.
            let (mut cursor, mut resuming, mut pause) = (LogCursor::from(after), false, FIRST_PAUSE);
            loop {
                let mut answer = match retry(None, || self.open(&filter, &cursor, resuming)).await {
                    Ok(answer) => answer,
                    Err(error) => {
                        yield Err(error);
                        return;
                    }
                };
                let (before, mut parser) = (cursor.seq, SseParser::new(MAX_EVENT_BYTES));
                // A broken stream is resumed after the last complete event.
                'stream: while let Ok(Some(chunk)) = answer.chunk().await {
                    let Ok(messages) = parser.read(&chunk) else { break };
                    for message in messages {
                        match self.read(&message) {
                            Ok(None) => {}
                            Ok(Some(event)) => {
                                cursor = LogCursor::of_event(&event);
                                yield Ok(event);
                            }
                            // The server has lost its database; it may be available again after the pause.
                            Err(error) if error.is_transient() => break 'stream,
                            Err(error) => {
                                yield Err(error);
                                return;
                            }
                        }
                    }
                }
                // The pause grows after each stream that ends without an event, so as not to flood the server.
                resuming = true;
                pause = if cursor.seq == before { (pause * 2).min(LAST_PAUSE) } else { FIRST_PAUSE };
                sleep(pause).await;
            }
        }
    }

    /// Requests the stream. `resuming` marks a repeated request after an interruption.
    async fn open(
        &self,
        filter: &LogFilter,
        cursor: &LogCursor,
        resuming: bool,
    ) -> Result<Response, GateError> {
        let request = self.client.get(self.stream_url(filter)).header("accept", "text/event-stream");
        let request = if resuming {
            request.header("last-event-id", cursor.to_string())
        } else {
            request.query(&[("after", cursor.to_string())])
        };
        self.answer(request).await
    }

    /// Returns a message's event; `None` for a message without data. Fails if the message is the error that ends the
    /// stream.
    fn read(&self, message: &SseMessage) -> Result<Option<Arc<Event>>, GateError> {
        let data = message.data.as_str();
        if data.is_empty() {
            return Ok(None);
        }
        let strange = |why: serde_json::Error| self.strange(&why.to_string());
        if message.kind == "error" {
            return Err(serde_json::from_str::<Problem>(data).map_err(strange)?.into());
        }
        serde_json::from_str(data).map(|event| Some(Arc::new(event))).map_err(strange)
    }
}
