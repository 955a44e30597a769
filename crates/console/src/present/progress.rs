//! A progress line on a stderr terminal, removed at the end.

use crate::present::print::print_error_part;
use std::io::IsTerminal;

/// Work with fewer steps than this ends before anyone could read the line.
const MIN_TOTAL: i64 = 5_000;

/// A line such as `3000 of 9000 events (33 %)`.
pub struct ProgressLine {
    noun: &'static str,
    enabled: bool,
    visible: bool,
    min_total: i64,
}

impl ProgressLine {
    /// A line that is printed only on a terminal, and only if `wanted`.
    #[must_use]
    pub fn new(noun: &'static str, wanted: bool) -> Self {
        Self {
            noun,
            enabled: wanted && std::io::stderr().is_terminal(),
            visible: false,
            min_total: MIN_TOTAL,
        }
    }

    /// The line for slow work, which is printed for any number of steps.
    #[must_use]
    pub fn for_slow_work(mut self) -> Self {
        self.min_total = 0;
        self
    }

    /// Updates the line.
    pub fn update(&mut self, done: i64, total: i64) {
        if self.enabled && total > self.min_total {
            let percent = done.clamp(0, total) * 100 / total;
            print_error_part(&format!("\r\x1b[K{done} of {total} {} ({percent} %)", self.noun));
            self.visible = true;
        }
    }

    /// Removes the line, so that other output can follow.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.visible) {
            print_error_part("\r\x1b[K");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
