//! A stream of events that resumes after its last event when the log is available again.

use super::backoff::may_pass;
use crate::{ApprovalGate, Event, GateError, LogFilter};
use futures_util::{Stream, StreamExt};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// The pause before the stream is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// Streams the events of `gate`, and gives up when the log stays unavailable for `budget`.
pub(super) fn resume(
    gate: Arc<dyn ApprovalGate>,
    filter: LogFilter,
    after: i64,
    budget: Duration,
) -> impl Stream<Item = Result<Arc<Event>, GateError>> + Send {
    async_stream::stream! {
        let (mut cursor, mut failing_since) = (after, None);
        loop {
            let (opened_at, mut events) = (Instant::now(), gate.follow(filter.clone(), cursor));
            let error = loop {
                match events.next().await {
                    Some(Ok(event)) => {
                        (cursor, failing_since) = (event.seq, None);
                        yield Ok(event);
                    }
                    Some(Err(error)) => break error,
                    None => return,
                }
            };
            let now = Instant::now();
            // A stream that was healthy this long resets the retry budget.
            if now - opened_at > budget {
                failing_since = None;
            }
            if !may_pass(&error) || now - *failing_since.get_or_insert(now) > budget {
                yield Err(error);
                return;
            }
            tracing::debug!(%error, "the log is unavailable; the stream resumes when it is back");
            pause().await;
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a retry waits for the machine, not for the log's time")]
async fn pause() {
    tokio::time::sleep(PAUSE).await;
}
