//! The pauses between attempts, and the limit of attempts.

use crate::{ErrorCode, GateError};
use backon::{ExponentialBuilder, Retryable};
use std::{future::Future, time::Duration};
use tokio::time::Instant;

/// The longest pause that the client accepts from a server.
const MAX_REQUESTED_PAUSE: Duration = Duration::from_secs(30);

/// Repeats an operation while its error is transient, with growing pauses and never sooner than the server asks for.
/// Gives up after `budget` with the last error; without a budget, never.
pub async fn retry<T, F>(budget: Option<Duration>, operation: impl FnMut() -> F) -> Result<T, GateError>
where
    F: Future<Output = Result<T, GateError>>,
{
    retry_while(budget, may_pass, operation).await
}

/// Repeats an operation like [`retry`], as long as `may_repeat` is true for its error.
pub(super) async fn retry_while<T, F>(
    budget: Option<Duration>,
    may_repeat: impl FnMut(&GateError) -> bool,
    operation: impl FnMut() -> F,
) -> Result<T, GateError>
where
    F: Future<Output = Result<T, GateError>>,
{
    let end = budget.map(|budget| Instant::now() + budget);
    let pauses = ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(50))
        .with_max_delay(Duration::from_secs(2))
        .without_max_times();
    operation
        .retry(pauses)
        .when(may_repeat)
        // backon sums up the pauses only. An attempt that hangs must use up the budget too.
        .adjust(move |error, pause| {
            let in_time = end.is_none_or(|end| Instant::now() < end);
            pause.filter(|_| in_time).map(|pause| pause.max(requested_pause(error)))
        })
        .notify(|error, _| tracing::debug!(%error, "the log is unavailable; retrying"))
        .await
}

/// Returns true if a later attempt may succeed. A gate that this process has shut down stays shut down.
pub(super) fn may_pass(error: &GateError) -> bool {
    let own_shutdown = error.code == ErrorCode::ShuttingDown && error.facts.status.is_none();
    error.is_transient() && !own_shutdown
}

/// Returns the pause that a server asks for. Ignores a server that is stopping: behind a proxy, the next one may be
/// ready.
fn requested_pause(error: &GateError) -> Duration {
    if error.code == ErrorCode::ShuttingDown {
        return Duration::ZERO;
    }
    Duration::from_secs(error.facts.retry_after.unwrap_or(0)).min(MAX_REQUESTED_PAUSE)
}
