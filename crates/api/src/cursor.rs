//! Positions in the log. A position may carry the first digits of its event's hash, which show if a log is the one that
//! the position is from.

use countersign_events::{Event, Sha256};
use std::{fmt, str::FromStr};

/// The number of hexadecimal digits of a hash in a cursor.
const HASH_DIGITS: usize = 16;

/// A position in the log: after the event with this `seq`. Its text is the `seq`, as in `15`, or the `seq` and the
/// first 16 digits of the event's hash, as in `15-404ca37358ec2e18`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogCursor {
    /// The event's `seq`; 0 is the log's start.
    pub seq: i64,
    /// The first digits of the event's hash, in lower case.
    pub hash: Option<String>,
}

/// The text is not a cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a cursor; use the `next` of the page before, the seq of an event, or the `id` of a message"
)]
pub struct BadLogCursor(String);

impl LogCursor {
    /// Returns the position after this event. It has no hash if the event has none, as after an insert with SQL.
    #[must_use]
    pub fn of_event(event: &Event) -> Self {
        let hash = event.hash.map(|hash| hash.to_string().chars().take(HASH_DIGITS).collect());
        Self { seq: event.seq, hash }
    }

    /// Returns true if an event with this hash can be the cursor's event.
    #[must_use]
    pub fn admits_hash(&self, hash: Option<Sha256>) -> bool {
        self.hash.as_ref().is_none_or(|digits| hash.is_some_and(|hash| hash.to_string().starts_with(digits)))
    }
}

impl From<i64> for LogCursor {
    fn from(seq: i64) -> Self {
        Self { seq, hash: None }
    }
}

impl fmt::Display for LogCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hash {
            Some(hash) => write!(f, "{}-{hash}", self.seq),
            None => write!(f, "{}", self.seq),
        }
    }
}

impl FromStr for LogCursor {
    type Err = BadLogCursor;

    fn from_str(text: &str) -> Result<Self, BadLogCursor> {
        let bad = || BadLogCursor(text.chars().take(64).collect());
        let (seq, hash) = text.split_once('-').map_or((text, None), |(seq, hash)| (seq, Some(hash)));
        let is_number = !seq.is_empty() && seq.bytes().all(|byte| byte.is_ascii_digit());
        let is_hash = |hash: &str| {
            hash.len() == HASH_DIGITS && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        if !is_number || !hash.is_none_or(is_hash) {
            return Err(bad());
        }
        Ok(Self { seq: seq.parse().map_err(|_| bad())?, hash: hash.map(str::to_owned) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_text_is_read_back() {
        for text in ["0", "15", "15-404ca37358ec2e18", "9223372036854775807"] {
            assert_eq!(text.parse::<LogCursor>().expect("a cursor").to_string(), text);
        }
    }

    #[test]
    fn malformed_cursor_is_rejected() {
        for text in [
            "",
            "-1",
            "+1",
            "yesterday",
            "9223372036854775808",
            "15-",
            "15-404c",
            "15-404CA37358EC2E18",
            "15-404ca37358ec2e180",
            "15-404ca37358ec2e1é",
            "-404ca37358ec2e18",
            "1 5",
        ] {
            assert!(text.parse::<LogCursor>().is_err(), "{text:?}");
        }
    }
}
