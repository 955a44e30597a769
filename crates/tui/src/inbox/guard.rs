//! The guard: how long decision keys are ignored.
//!
//! A key that is held down repeats, and most terminals report only the repetitions, not the release. Every ignored key
//! therefore starts the guard again: a held key stays ignored until the keyboard was silent for the whole delay.

use countersign_gate::Timestamp;
use crossterm::event::KeyCode;
use std::time::Duration;

/// How long a call takes no decision after it replaced another call on the screen, and after an ignored key. It is as
/// long as the longest pause of a keyboard before it repeats a held key.
pub(crate) const DECISION_DELAY: Duration = Duration::from_secs(1);

/// The time until which decision keys are ignored.
#[derive(Debug, Default)]
pub(crate) struct KeyGuard {
    end: Option<Timestamp>,
    /// The key that sent the last decision.
    sender: Option<KeyCode>,
}

impl KeyGuard {
    /// Ignores decision keys from now on, for [`DECISION_DELAY`].
    pub(crate) fn start(&mut self, now: Timestamp) {
        self.end = Some(now.after(DECISION_DELAY));
    }

    /// As [`Self::start`], after a key that sent a decision. This key may be held down, so it has no effect on the next
    /// call either, whatever it means there.
    pub(crate) fn start_after(&mut self, sender: KeyCode, now: Timestamp) {
        self.sender = Some(sender);
        self.start(now);
    }

    /// True if the key sent the last decision and may still be held down.
    pub(crate) fn is_held(&self, key: KeyCode, now: Timestamp) -> bool {
        self.sender == Some(key) && self.holds(now)
    }

    /// Takes decision keys again. Call it only after a key that proves that the person has seen the screen.
    pub(crate) fn lift(&mut self) {
        *self = Self::default();
    }

    /// True if decision keys are ignored.
    pub(crate) fn holds(&self, now: Timestamp) -> bool {
        self.end(now).is_some()
    }

    /// The end of the guard, if it is in the future.
    pub(crate) fn end(&self, now: Timestamp) -> Option<Timestamp> {
        self.end.filter(|end| now < *end)
    }
}
