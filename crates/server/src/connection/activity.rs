//! The step that a connection is at, and the time until which its client must finish the step.

use super::ConnectionTimeouts;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// A connection step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionStep {
    /// The client has sent nothing yet.
    Connect,
    /// A request head is incomplete.
    Head,
    /// The server answers a request, or a stream is open.
    Response,
    /// The last response is complete.
    Idle,
    /// The client reads nothing, although the server has something to send.
    Write,
}

impl ConnectionStep {
    /// The steps that have a time limit here. A request's body has its own.
    pub(crate) const TIMED: [Self; 4] = [Self::Connect, Self::Head, Self::Idle, Self::Write];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Head => "head",
            Self::Response => "response",
            Self::Idle => "idle",
            Self::Write => "write",
        }
    }
}

/// The state that the socket, the requests and the timer of one connection share.
pub(super) struct ConnectionActivity {
    timeouts: ConnectionTimeouts,
    progress: Mutex<StepProgress>,
}

struct StepProgress {
    step: ConnectionStep,
    deadline: Option<Instant>,
    /// The time until which the client must read something, while it reads nothing.
    write_deadline: Option<Instant>,
}

/// A request that is being answered. The connection becomes idle when it is dropped.
pub(super) struct RequestInProgress(Arc<ConnectionActivity>);

impl ConnectionActivity {
    pub(super) fn new(timeouts: ConnectionTimeouts) -> Self {
        let deadline = Some(Instant::now() + timeouts.connect);
        let progress = StepProgress { step: ConnectionStep::Connect, deadline, write_deadline: None };
        Self { timeouts, progress: Mutex::new(progress) }
    }

    pub(super) const fn body_timeout(&self) -> Duration {
        self.timeouts.body
    }

    /// Returns the step that must end first, and the time until which it must end.
    pub(super) fn next_deadline(&self) -> Option<(Instant, ConnectionStep)> {
        let progress = self.progress();
        let of_step = progress.deadline.map(|deadline| (deadline, progress.step));
        let of_write = progress.write_deadline.map(|deadline| (deadline, ConnectionStep::Write));
        of_step.into_iter().chain(of_write).min_by_key(|(deadline, _)| *deadline)
    }

    /// The client has sent something.
    pub(super) fn bytes_read(&self) {
        let mut progress = self.progress();
        if matches!(progress.step, ConnectionStep::Connect | ConnectionStep::Idle) {
            progress.step = ConnectionStep::Head;
            progress.deadline = Some(Instant::now() + self.timeouts.head);
        }
    }

    /// The client has accepted bytes.
    pub(super) fn bytes_written(&self) {
        self.progress().write_deadline = None;
    }

    /// The client accepts no bytes, because its buffer and the system's buffer are full.
    pub(super) fn write_blocked(&self) {
        let mut progress = self.progress();
        progress.write_deadline.get_or_insert_with(|| Instant::now() + self.timeouts.write);
    }

    /// A request head is complete.
    pub(super) fn begin_request(self: &Arc<Self>) -> RequestInProgress {
        let mut progress = self.progress();
        (progress.step, progress.deadline) = (ConnectionStep::Response, None);
        drop(progress);
        RequestInProgress(Arc::clone(self))
    }

    fn progress(&self) -> MutexGuard<'_, StepProgress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        let mut progress = self.0.progress();
        (progress.step, progress.deadline) =
            (ConnectionStep::Idle, Some(Instant::now() + self.0.timeouts.idle));
    }
}
