//! The guard: how long decision keys are ignored.
//!
//! A key that is held down repeats, and most terminals report only the repetitions, not the release. Every ignored key
//! therefore starts the guard again: a held key stays ignored until the keyboard was silent for the whole delay.

use countersign_events::Timestamp;
use crossterm::event::KeyCode;
use std::time::Duration;

/// How long a call takes no decision after it replaced another call on the screen, and after an ignored key. It is as
/// long as the longest pause of a keyboard before it repeats a held key.
pub(crate) const DECISION_DELAY: Duration = Duration::from_secs(1);

/// The times until which decision keys are ignored.
#[derive(Debug, Default)]
pub(crate) struct KeyGuard {
    /// When the guard for all keys ends.
    end: Option<Timestamp>,
    /// The last key that sent a decision or was ignored, and the time until which it is treated as held down.
    held: Option<(KeyCode, Timestamp)>,
}

impl KeyGuard {
    /// Ignores all decision keys from now on, for [`DECISION_DELAY`].
    pub(crate) fn start(&mut self, now: Timestamp) {
        self.end = Some(now.after(DECISION_DELAY));
    }

    /// As [`Self::start`], after a key that sent a decision. This key may be held down, so it has no effect on the next
    /// call either, whatever it means there.
    pub(crate) fn start_after(&mut self, sender: KeyCode, now: Timestamp) {
        self.held = Some((sender, now.after(DECISION_DELAY)));
        self.start(now);
    }

    /// Notes that a key was ignored: a guard starts again, and the key itself has no effect before a pause. Another
    /// key proves that it was released.
    pub(crate) fn ignore(&mut self, key: KeyCode, now: Timestamp) {
        self.held = Some((key, now.after(DECISION_DELAY)));
        if self.holds(now) {
            self.start(now);
        }
    }

    /// Returns true if the key sent the last decision or was ignored, and may still be held down.
    pub(crate) fn is_held(&self, key: KeyCode, now: Timestamp) -> bool {
        self.held.is_some_and(|(held, end)| held == key && now < end)
    }

    /// Takes decision keys again. Call it only after a key that proves that the person has seen the screen.
    pub(crate) fn lift(&mut self) {
        *self = Self::default();
    }

    /// Returns true if all decision keys are ignored.
    pub(crate) fn holds(&self, now: Timestamp) -> bool {
        self.end(now).is_some()
    }

    /// The guard's end, if it is in the future.
    pub(crate) fn end(&self, now: Timestamp) -> Option<Timestamp> {
        self.end.filter(|end| now < *end)
    }
}
