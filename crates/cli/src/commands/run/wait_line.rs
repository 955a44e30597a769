//! The line on stderr while `run` waits for a decision.

use countersign_api as api;
use countersign_console::{CommandContext, escape_text, format_duration, print_error, print_error_part};
use countersign_events::Timestamp;
use countersign_store::Clock;
use std::{io::IsTerminal, time::Duration};

/// The line, with the waiting time.
pub(crate) struct WaitLine {
    text: String,
    since: Timestamp,
    live: bool,
}

impl WaitLine {
    /// Prints how to decide the call.
    pub(crate) fn start(context: &CommandContext, call: &api::Call) -> anyhow::Result<Self> {
        let id = escape_text(call.id.as_str());
        let (how, since, log) = (context.command_prefix(), Clock::System.now(), context.log_location()?);
        print_error(&format!("countersign: {id} is pending in {log}; allow it with: {how} allow {id}"));
        let live = !context.json && std::io::stderr().is_terminal();
        Ok(Self { text: format!("waiting for a decision on {id}; Ctrl-C cancels the call"), since, live })
    }

    /// Updates the waiting time every second. Never returns.
    pub(crate) async fn update(&mut self) {
        if !self.live {
            return std::future::pending().await;
        }
        loop {
            let waited = Clock::System.now().since(self.since).as_secs();
            print_error_part(&format!("\r\x1b[K{} ({})", self.text, format_duration(waited)));
            Clock::System.sleep(Duration::from_secs(1)).await;
        }
    }

    /// Removes the line.
    pub(crate) fn end(&self) {
        if self.live {
            print_error_part("\r\x1b[K");
        }
    }
}
