//! How far long work has come: on a terminal's stderr, and gone when it is over.

use crate::{args::Args, output};
use std::io::IsTerminal;

/// What is over sooner than anybody can read is not worth a line.
const SHORT: i64 = 5_000;

/// See the module.
pub(crate) struct Progress {
    what: &'static str,
    live: bool,
    shown: bool,
}

impl Progress {
    pub(crate) fn of(args: &Args, what: &'static str) -> Self {
        Self { what, live: !args.json && std::io::stderr().is_terminal(), shown: false }
    }

    /// Says that `done` of `total` are done.
    pub(crate) fn at(&mut self, done: i64, total: i64) {
        if self.live && total > SHORT {
            let percent = done.clamp(0, total) * 100 / total;
            output::note(&format!("\r\x1b[K{done} of {total} {} ({percent} %)", self.what));
            self.shown = true;
        }
    }

    /// Takes the line away, for something else to be shown.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            output::note("\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
