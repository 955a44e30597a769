//! The time source: the system clock in production, a manual clock in tests.

use countersign_events::Timestamp;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// The time source.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A clock that changes only when a test sets it.
    Manual(Arc<ManualClock>),
}

/// A clock for tests. It changes only when a test sets it, forwards or backwards.
#[derive(Debug)]
pub struct ManualClock {
    now: watch::Sender<Timestamp>,
}

/// The longest sleep before the clock is read again. An administrator can set the system clock at any time.
const LONGEST_SLEEP: Duration = Duration::from_secs(20);

impl Clock {
    /// Creates a manual clock that shows `now`, with the handle that sets it.
    #[must_use]
    pub fn manual(now: Timestamp) -> (Self, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock { now: watch::Sender::new(now) });
        (Self::Manual(Arc::clone(&clock)), clock)
    }

    /// Returns the current time.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the system clock")]
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => chrono::Utc::now().into(),
            Self::Manual(clock) => *clock.now.borrow(),
        }
    }

    /// Sleeps until `moment`. On the system clock it returns after at most 20 seconds, even if that is before `moment`,
    /// so the caller must check the time again.
    #[expect(clippy::disallowed_methods, reason = "the only place that sleeps on the clock")]
    pub async fn sleep_until(&self, moment: Timestamp) {
        match self {
            Self::System => {
                tokio::time::sleep(moment.since(self.now()).min(LONGEST_SLEEP)).await;
            }
            Self::Manual(clock) => {
                let mut now = clock.now.subscribe();
                // The clock owns the sender, so this cannot fail.
                let _ = now.wait_for(|now| *now >= moment).await;
            }
        }
    }

    /// Sleeps for `span`.
    pub async fn sleep(&self, span: Duration) {
        let end = self.now().after(span);
        while self.now() < end {
            self.sleep_until(end).await;
        }
    }
}

impl ManualClock {
    /// Sets the clock to `now`, which may be earlier than its current time.
    pub fn set(&self, now: Timestamp) {
        self.now.send_replace(now);
    }

    /// Moves the clock forwards by `span`.
    pub fn advance(&self, span: Duration) {
        self.now.send_modify(|now| *now = now.after(span));
    }
}

/// Sleeps on the machine's clock, even if the store has a manual clock. It is for tasks that depend on the machine and
/// not on the log's time, such as polling a file.
#[expect(
    clippy::disallowed_methods,
    reason = "polling a file depends on the machine, not on the time of the log"
)]
pub(crate) async fn machine_sleep(span: Duration) {
    tokio::time::sleep(span).await;
}

/// Runs `operation`, and fails like a lost connection if it takes longer than `span` on the machine's clock.
pub(crate) async fn with_timeout<T>(
    span: Duration,
    operation: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    tokio::select! {
        outcome = operation => outcome,
        () = machine_sleep(span) => {
            Err(sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, "no answer in time")))
        }
    }
}
