//! Fairness between streams. Thousands of readers may replay the log at the same time, for example after a restart.
//! They take turns: in its turn a stream prepares one small batch of messages, then the next stream has its turn. So only
//! a few tasks are ready to run at any time, and other requests do not wait for the replay.

use super::messages::{EventMessages, join};
use axum::body::Bytes;
use countersign_api::{EventStream, GateError};
use countersign_events::Event;
use futures_util::{FutureExt, StreamExt, stream::Peekable};
use std::pin::Pin;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The most streams that prepare a batch at the same time.
const TURNS: usize = 4;

/// The size from which a batch is sent. It has at least one message.
const BATCH_BYTES: usize = 16 * 1024;

/// The messages of all streams, and their turns.
pub(crate) struct ReplayQueue {
    messages: EventMessages,
    turns: Semaphore,
}

/// The available messages, and the stream state after them.
pub(crate) struct MessageBatch {
    pub(super) bytes: Bytes,
    pub(super) end: Option<StreamEnd>,
}

/// The reason why a stream has no further events.
pub(crate) enum StreamEnd {
    Closed,
    Failed(GateError),
}

impl Default for ReplayQueue {
    fn default() -> Self {
        Self { messages: EventMessages::default(), turns: Semaphore::new(TURNS) }
    }
}

impl ReplayQueue {
    /// Waits for events, then for a turn, and returns a batch of available events. Calls `inspect` with each event. If
    /// the future is dropped, no event is lost.
    pub(super) async fn next_batch(
        &self,
        mut events: Pin<&mut Peekable<EventStream>>,
        mut inspect: impl FnMut(&Event),
    ) -> MessageBatch {
        let _first = events.as_mut().peek().await;
        let _turn = self.take_turn().await;
        // The turn is kept while other tasks run. Otherwise streams would find a free turn each time that they run, and
        // every one of them would be ready to run.
        tokio::task::yield_now().await;
        let (mut messages, mut size) = (Vec::new(), 0);
        let end = loop {
            match events.next().now_or_never() {
                None => break None,
                Some(None) => break Some(StreamEnd::Closed),
                Some(Some(Err(error))) => break Some(StreamEnd::Failed(error)),
                Some(Some(Ok(event))) => {
                    inspect(&event);
                    let message = self.messages.message(&event);
                    size += message.len();
                    messages.push(message);
                }
            }
            if size >= BATCH_BYTES {
                break None;
            }
        };
        MessageBatch { bytes: join(messages), end }
    }

    /// Waits for a turn: first come, first served. The semaphore is never closed. If it were, a stream would continue
    /// without a turn.
    async fn take_turn(&self) -> Option<SemaphorePermit<'_>> {
        self.turns.acquire().await.ok()
    }
}
