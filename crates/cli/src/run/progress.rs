//! The line that says what is waited for: quiet, on stderr, gone when it is over.

use crate::{
    args::Args,
    output::{self, span, visible},
    target,
};
use countersign_api as api;
use countersign_gate::{Clock, Timestamp};
use std::{io::IsTerminal, time::Duration};

pub(crate) struct Progress {
    what: String,
    since: Timestamp,
    live: bool,
}

impl Progress {
    /// Says once what is waited for, and how to decide it.
    pub(crate) fn start(args: &Args, call: &api::Call) -> Self {
        let id = visible(call.id.as_str());
        let (how, since) = (target::how_to_call(args), Clock::System.now());
        output::complain(&format!("countersign: {id} waits for a decision: {how} allow {id}"));
        let live = !args.json && std::io::stderr().is_terminal();
        Self { what: format!("waiting for a decision on {id}, Ctrl-C cancels it"), since, live }
    }

    /// Shows that time passes, for ever. Returns never.
    pub(crate) async fn run(&mut self) {
        if !self.live {
            return std::future::pending().await;
        }
        loop {
            let waited = Clock::System.now().since(self.since).as_secs();
            output::note(&format!("\r\x1b[K{} ({})", self.what, span(waited)));
            Clock::System.sleep(Duration::from_secs(1)).await;
        }
    }

    /// Takes the line away.
    pub(crate) fn end(&self) {
        if self.live {
            output::note("\r\x1b[K");
        }
    }
}
