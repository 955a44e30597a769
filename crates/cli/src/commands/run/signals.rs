//! Passing signals to the command.

use countersign_console::TerminationSignals;
use rustix::process::{Pid, Signal, kill_process};
use std::convert::Infallible;

/// Passes SIGTERM and SIGHUP to the command. Ctrl-C reaches it directly, because it shares the terminal.
pub(super) async fn pass_signals(signals: &mut TerminationSignals, child: Option<u32>) -> Infallible {
    let pid = child.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    loop {
        let signal = signals.receive().await;
        if let Some(pid) = pid.filter(|_| signal != Signal::INT) {
            // The command may have ended already.
            let _ = kill_process(pid, signal);
        }
    }
}
