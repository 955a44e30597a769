//! The signals that ask this process to end.

use rustix::process::Signal;
use std::sync::OnceLock;
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};

/// Receives SIGTERM, SIGHUP and SIGINT.
#[derive(Debug)]
pub struct TerminationSignals {
    terminate: SignalStream,
    /// Absent if this process was started to outlive its terminal, as with `nohup`.
    hangup: Option<SignalStream>,
    interrupt: SignalStream,
}

impl TerminationSignals {
    /// Handles the signals from now on: they no longer end the process by themselves.
    pub fn listen() -> std::io::Result<Self> {
        let hangup = if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) };
        let [terminate, interrupt] = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
        Ok(Self { terminate: terminate?, hangup, interrupt: interrupt? })
    }

    /// Waits for the next signal of these three.
    pub async fn receive(&mut self) -> Signal {
        let Self { terminate, hangup, interrupt } = self;
        let hangup = async {
            match hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => Signal::TERM,
            _ = hangup => Signal::HUP,
            _ = interrupt.recv() => Signal::INT,
        }
    }
}

/// Returns true if SIGHUP was ignored when this process started. Only Linux tells this to a program without unsafe
/// code; elsewhere the signal is handled.
fn ignores_hangup() -> bool {
    // Read once, because a handler changes the answer.
    static IGNORED: OnceLock<bool> = OnceLock::new();
    *IGNORED.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        // The lowest bit is signal 1, SIGHUP.
        mask & 1 == 1
    })
}
