//! Time, as something that is handed in: the wall's in production, the test's own in tests.

use countersign_events::Timestamp;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// Where the time comes from.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's.
    #[default]
    System,
    /// One that stands still until it is moved.
    Manual(Arc<ManualClock>),
}

/// A clock for tests: it stands still until it is moved, forwards or backwards.
#[derive(Debug)]
pub struct ManualClock {
    now: watch::Sender<Timestamp>,
}

/// A wall clock may be set at any moment, so no sleep trusts it for longer than this.
const LONGEST_SLEEP: Duration = Duration::from_secs(20);

impl Clock {
    /// A clock that stands at `now` until it is moved.
    #[must_use]
    pub fn manual(now: Timestamp) -> (Self, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock { now: watch::Sender::new(now) });
        (Self::Manual(Arc::clone(&clock)), clock)
    }

    /// The current time.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine")]
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => chrono::Utc::now().into(),
            Self::Manual(clock) => *clock.now.borrow(),
        }
    }

    /// Returns at `moment` or later. May return earlier than that if the moment is far off, so ask
    /// again.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that sleeps")]
    pub async fn sleep_until(&self, moment: Timestamp) {
        match self {
            Self::System => {
                tokio::time::sleep(moment.since(self.now()).min(LONGEST_SLEEP)).await;
            }
            Self::Manual(clock) => {
                let mut now = clock.now.subscribe();
                // The sender lives as long as this clock does, so this cannot fail.
                let _ = now.wait_for(|now| *now >= moment).await;
            }
        }
    }

    /// Returns after `span`.
    pub async fn sleep(&self, span: Duration) {
        let end = self.now().after(span);
        while self.now() < end {
            self.sleep_until(end).await;
        }
    }
}

impl ManualClock {
    /// Moves it to `now`, whichever way that is.
    pub fn set(&self, now: Timestamp) {
        self.now.send_replace(now);
    }

    /// Moves it forwards.
    pub fn advance(&self, span: Duration) {
        self.now.send_modify(|now| *now = now.after(span));
    }
}

/// Sleeps on the machine's clock whatever clock the store has: for duties that look at the machine
/// itself, such as polling a file.
#[expect(
    clippy::disallowed_methods,
    reason = "a poll of the file is about the machine, not about the log's time"
)]
pub(crate) async fn machine_sleep(span: Duration) {
    tokio::time::sleep(span).await;
}

/// Gives up on what takes longer than `span` of the machine's time, as on a connection that was lost.
pub(crate) async fn with_timeout<T>(
    span: Duration,
    what: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    tokio::select! {
        outcome = what => outcome,
        () = machine_sleep(span) => {
            Err(sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, "no answer in time")))
        }
    }
}
