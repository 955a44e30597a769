//! Following the log over a server: a stream that takes itself up again where it broke.

use crate::connection::{ServerConnection, sleep};
use countersign_api::{GateError, LogFilter, Problem, retry::retry};
use countersign_events::Event;
use futures_util::{Stream, StreamExt};
use reqwest::Response;
use sse_stream::{Sse, SseStream};
use std::{sync::Arc, time::Duration};

/// How long after a stream that brought something the next is asked for.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// How long, at most, after many that brought nothing.
const LAST_PAUSE: Duration = Duration::from_secs(2);

impl ServerConnection {
    pub(crate) fn follow(
        self: Arc<Self>,
        filter: LogFilter,
        after: i64,
    ) -> impl Stream<Item = Result<Arc<Event>, GateError>> + Send {
        async_stream::stream! {
            let (mut cursor, mut was_here, mut pause) = (after, false, FIRST_PAUSE);
            loop {
                let answer = match retry(None, || self.open(&filter, cursor, was_here)).await {
                    Ok(answer) => answer,
                    Err(error) => {
                        yield Err(error);
                        return;
                    }
                };
                let (before, mut stream) = (cursor, SseStream::from_bytes_stream(answer.bytes_stream()));
                // A stream that breaks off is taken up again after the last event that came whole.
                while let Some(Ok(message)) = stream.next().await {
                    match self.read(message) {
                        Ok(None) => {}
                        Ok(Some(event)) => {
                            cursor = event.seq;
                            yield Ok(event);
                        }
                        // A server that has lost its database for now has it back in a while.
                        Err(error) if error.is_transient() => break,
                        Err(error) => {
                            yield Err(error);
                            return;
                        }
                    }
                }
                // One that brings nothing and ends is not asked again at once, and less and less often.
                was_here = true;
                pause = if cursor == before { (pause * 2).min(LAST_PAUSE) } else { FIRST_PAUSE };
                sleep(pause).await;
            }
        }
    }

    /// Requests the stream, for the first time or again after an interruption.
    async fn open(&self, filter: &LogFilter, cursor: i64, was_here: bool) -> Result<Response, GateError> {
        let request = self.client.get(self.stream_url(filter)).header("accept", "text/event-stream");
        let request = if was_here {
            request.header("last-event-id", cursor.to_string())
        } else {
            request.query(&[("after", cursor)])
        };
        self.answer(request).await
    }

    /// The event that a message brings, if it brings one, or why the server can send no more.
    fn read(&self, message: Sse) -> Result<Option<Arc<Event>>, GateError> {
        let Some(data) = message.data else { return Ok(None) };
        let strange = |why: serde_json::Error| self.strange(&why.to_string());
        if message.event.as_deref() == Some("error") {
            return Err(serde_json::from_str::<Problem>(&data).map_err(strange)?.into());
        }
        serde_json::from_str(&data).map(|event| Some(Arc::new(event))).map_err(strange)
    }
}
