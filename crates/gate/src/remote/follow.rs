//! Following the log over a server: a stream that takes itself up again where it broke.

use super::{Remote, keep_trying};
use crate::Error;
use countersign_approvals::Event;
use countersign_store::Filter;
use futures_util::{Stream, StreamExt};
use sse_stream::SseStream;
use std::sync::Arc;

impl Remote {
    pub(crate) fn follow(
        self: Arc<Self>,
        filter: Filter,
        after: i64,
    ) -> impl Stream<Item = Result<Arc<Event>, Error>> + Send {
        async_stream::stream! {
            let mut cursor = after;
            loop {
                let open = || {
                    let url = self.stream_url(&filter);
                    self.answer(
                        self.client
                            .get(url)
                            .header("accept", "text/event-stream")
                            .header("last-event-id", cursor.to_string()),
                    )
                };
                let answer = match keep_trying(None, open).await {
                    Ok(answer) => answer,
                    Err(error) => {
                        yield Err(error);
                        return;
                    }
                };
                let mut stream = SseStream::from_bytes_stream(answer.bytes_stream());
                // A stream that breaks off is taken up again after the last event that came whole.
                while let Some(Ok(message)) = stream.next().await {
                    let Some(data) = message.data else { continue };
                    match serde_json::from_str::<Event>(&data) {
                        Ok(event) => {
                            cursor = event.seq;
                            yield Ok(Arc::new(event));
                        }
                        Err(why) => {
                            yield Err(self.strange(&why.to_string()));
                            return;
                        }
                    }
                }
            }
        }
    }
}
