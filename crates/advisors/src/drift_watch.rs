//! Withdraws the right to decide from advisors that people contradict too often. Each server does so: the answers are
//! in the log, and the log accepts the event once.

use countersign_gate::{EmbeddedGate, GateFailure};
use countersign_store::Clock;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The shortest time between two counts, so that a busy log does not cause a count for each decision.
const INTERVAL: Duration = Duration::from_secs(1);

/// The pause after a database failure.
const PAUSE: Duration = Duration::from_secs(2);

/// Watches advisor drift in a log until `stop` is cancelled.
pub(crate) async fn watch_drift(gate: &EmbeddedGate, stop: &CancellationToken) {
    let watch = async {
        loop {
            let pause = match count_and_wait(gate).await {
                Ok(()) => INTERVAL,
                Err(error) => {
                    tracing::warn!(%error, "the drift of advisors cannot be counted; trying again");
                    PAUSE
                }
            };
            Clock::System.sleep(pause).await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = watch => {}
    }
}

/// Counts, and waits for an event that may change the count.
async fn count_and_wait(gate: &EmbeddedGate) -> Result<(), GateFailure> {
    // Read the log's end before the count, so that no event falls between.
    let after = gate.last_seq().await?;
    gate.check_advisor_drift().await?;
    gate.follow_for_drift(after).await?.next().await?;
    Ok(())
}
