//! The signals that ask this process to end.

use rustix::process::Signal;
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};

/// Receives SIGTERM, SIGHUP and SIGINT.
#[derive(Debug)]
pub struct TerminationSignals {
    terminate: SignalStream,
    hangup: SignalStream,
    interrupt: SignalStream,
}

impl TerminationSignals {
    /// Handles the signals from now on: they no longer end the process by themselves.
    pub fn listen() -> std::io::Result<Self> {
        let [terminate, hangup, interrupt] =
            [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()].map(signal);
        Ok(Self { terminate: terminate?, hangup: hangup?, interrupt: interrupt? })
    }

    /// Waits for the next of the three signals.
    pub async fn receive(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::TERM,
            _ = self.hangup.recv() => Signal::HUP,
            _ = self.interrupt.recv() => Signal::INT,
        }
    }
}
