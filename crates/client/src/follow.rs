//! The stream of events of a server, which resumes after its last event when the connection breaks.

use crate::connection::{ServerConnection, sleep};
use countersign_api::{GateError, LogCursor, LogFilter, Problem, retry::retry};
use countersign_events::Event;
use futures_util::{Stream, StreamExt};
use reqwest::Response;
use sse_stream::{Sse, SseStream};
use std::{sync::Arc, time::Duration};

/// The pause before the stream is opened again, after a stream that delivered events.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The longest pause, after several streams that delivered no event.
const LAST_PAUSE: Duration = Duration::from_secs(2);

impl ServerConnection {
    pub(crate) fn follow(
        self: Arc<Self>,
        filter: LogFilter,
        after: i64,
    ) -> impl Stream<Item = Result<Arc<Event>, GateError>> + Send {
        async_stream::stream! {
            // The cursor carries the hash of the last event, so that the server notices if its log is another one now.
            let (mut cursor, mut resuming, mut pause) = (LogCursor::from(after), false, FIRST_PAUSE);
            loop {
                let answer = match retry(None, || self.open(&filter, &cursor, resuming)).await {
                    Ok(answer) => answer,
                    Err(error) => {
                        yield Err(error);
                        return;
                    }
                };
                let (before, mut stream) = (cursor.seq, SseStream::from_bytes_stream(answer.bytes_stream()));
                // A broken stream is resumed after the last complete event.
                while let Some(Ok(message)) = stream.next().await {
                    match self.read(message) {
                        Ok(None) => {}
                        Ok(Some(event)) => {
                            cursor = LogCursor::of_event(&event);
                            yield Ok(event);
                        }
                        // The server has lost its database; it may be available again after the pause.
                        Err(error) if error.is_transient() => break,
                        Err(error) => {
                            yield Err(error);
                            return;
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

    /// Returns the event of a message; `None` for a message without data. Fails if the message is the error that ends
    /// the stream.
    fn read(&self, message: Sse) -> Result<Option<Arc<Event>>, GateError> {
        let Some(data) = message.data else { return Ok(None) };
        let strange = |why: serde_json::Error| self.strange(&why.to_string());
        if message.event.as_deref() == Some("error") {
            return Err(serde_json::from_str::<Problem>(&data).map_err(strange)?.into());
        }
        serde_json::from_str(&data).map(|event| Some(Arc::new(event))).map_err(strange)
    }
}
