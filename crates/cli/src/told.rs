//! Being told from outside to end.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Signals that end us.
pub(crate) struct Told {
    terminate: Signal,
    hangup: Signal,
    interrupt: Signal,
}

impl Told {
    pub(crate) fn listen() -> std::io::Result<Self> {
        let [terminate, hangup, interrupt] =
            [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()].map(signal);
        Ok(Self { terminate: terminate?, hangup: hangup?, interrupt: interrupt? })
    }

    /// Waits for the first of them.
    pub(crate) async fn told(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
