//! Following the log over a server: a stream that takes itself up again where it broke.

use super::Remote;
use crate::{Error, patience::keep_trying};
use countersign_events::Event;
use countersign_store::{Clock, Filter};
use futures_util::{Stream, StreamExt};
use reqwest::Response;
use sse_stream::{Sse, SseStream};
use std::{sync::Arc, time::Duration};

/// How long after a stream that brought something the next is asked for.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// How long, at most, after many that brought nothing.
const LAST_PAUSE: Duration = Duration::from_secs(2);

impl Remote {
    pub(crate) fn follow(
        self: Arc<Self>,
        filter: Filter,
        after: i64,
    ) -> impl Stream<Item = Result<Arc<Event>, Error>> + Send {
        async_stream::stream! {
            let (mut cursor, mut was_here, mut pause) = (after, false, FIRST_PAUSE);
            loop {
                let answer = match keep_trying(None, || self.open(&filter, cursor, was_here)).await {
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
                Clock::System.sleep(pause).await;
            }
        }
    }

    /// Asks for the stream; as somebody who was there before, or for the first time.
    async fn open(&self, filter: &Filter, cursor: i64, was_here: bool) -> Result<Response, Error> {
        let request = self.client.get(self.stream_url(filter)).header("accept", "text/event-stream");
        let request = if was_here {
            request.header("last-event-id", cursor.to_string())
        } else {
            request.query(&[("after", cursor)])
        };
        self.answer(request).await
    }

    /// The event that a message brings, if it brings one, or why the server can send no more.
    fn read(&self, message: Sse) -> Result<Option<Arc<Event>>, Error> {
        let Some(data) = message.data else { return Ok(None) };
        let strange = |why: serde_json::Error| self.strange(&why.to_string());
        if message.event.as_deref() == Some("error") {
            return Err(Error::Remote(Box::new(serde_json::from_str(&data).map_err(strange)?)));
        }
        serde_json::from_str(&data).map(|event| Some(Arc::new(event))).map_err(strange)
    }
}
