//! The pauses between the attempts to deliver a message.

use std::time::Duration;

/// The pause after the first failure.
const FIRST: Duration = Duration::from_secs(1);

/// The longest pause. A target may ask for one of this length, too, and not for a longer one.
pub(crate) const LONGEST: Duration = Duration::from_hours(1);

/// The attempts after which a message is parked: about three hours after the first.
pub(crate) const MAX_ATTEMPTS: u32 = 11;

/// The pause after a number of failed attempts: three times as long after each, at least as long as the target asks for.
/// `jitter` from 0 to 255 makes it up to a quarter longer, so that messages do not come together again.
#[must_use]
pub fn retry_delay(attempts: u32, retry_after: Option<Duration>, jitter: u8) -> Duration {
    let pause = 3_u32.checked_pow(attempts.saturating_sub(1)).map_or(LONGEST, |factor| FIRST * factor);
    let pause = pause.min(LONGEST).max(retry_after.unwrap_or_default().min(LONGEST));
    pause + pause / 4 * u32::from(jitter) / 255
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_an_hour() {
        let seconds = |attempts| retry_delay(attempts, None, 0).as_secs();
        assert_eq!([1, 2, 3, 4, 8, 9, 40].map(seconds), [1, 3, 9, 27, 2_187, 3_600, 3_600]);
        let all: u64 = (1..MAX_ATTEMPTS).map(seconds).sum();
        assert!((2 * 3_600..4 * 3_600).contains(&all), "{all}");
    }

    #[test]
    fn target_asks_for_longer_pauses_within_the_limit() {
        assert_eq!(retry_delay(1, Some(Duration::from_secs(90)), 0).as_secs(), 90);
        assert_eq!(retry_delay(1, Some(Duration::from_hours(48)), 0), LONGEST);
        assert_eq!(retry_delay(4, Some(Duration::from_secs(2)), 0).as_secs(), 27);
    }

    #[test]
    fn jitter_adds_a_quarter_at_most() {
        assert_eq!(retry_delay(3, None, 255), Duration::from_millis(11_250));
    }
}
