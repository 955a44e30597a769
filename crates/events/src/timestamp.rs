//! Timestamps in UTC with millisecond precision. Their text has a fixed width, so that it sorts in time order.

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr, time::Duration};

/// A moment in UTC, truncated to whole milliseconds. In JSON: `2026-01-31T12:00:00.000Z` (RFC 3339).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The string is not an RFC 3339 moment between the years 0000 and 9999.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an RFC 3339 time such as 2026-01-31T12:00:00.000Z")]
pub struct NotATimestamp(String);

/// The maximum length of a parsed string, in bytes.
const MAX_TEXT_BYTES: usize = 64;

/// 9999-12-31T23:59:59.999Z, the last moment whose year has four digits.
const LAST: i64 = 253_402_300_799_999;
/// 0000-01-01T00:00:00.000Z.
const FIRST: i64 = -62_167_219_200_000;

impl Timestamp {
    /// The moment `millis` milliseconds after 1970-01-01T00:00:00Z, clamped to the years 0000 to 9999.
    #[must_use]
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(FIRST, LAST))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The moment `span` later; fractions of milliseconds in `span` are dropped.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(LAST);
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// The moment `span` earlier; fractions of milliseconds in `span` are dropped.
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        let millis = i64::try_from(span.as_millis()).unwrap_or(LAST);
        Self::from_millis(self.0.saturating_sub(millis))
    }

    /// The time from `earlier` to this moment; zero if `earlier` is later, as after a clock that was set back.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(moment: DateTime<Utc>) -> Self {
        Self::from_millis(moment.timestamp_millis())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = DateTime::from_timestamp_millis(self.0).ok_or(fmt::Error)?;
        // Each row has a time, and the library would build a string for it.
        let (year, month, day) = (moment.year(), moment.month(), moment.day());
        let (hour, minute, second) = (moment.hour(), moment.minute(), moment.second());
        let millis = moment.timestamp_subsec_millis();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }
}

impl FromStr for Timestamp {
    type Err = NotATimestamp;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(NotATimestamp(text.chars().take(MAX_TEXT_BYTES).chain("…".chars()).collect()));
        }
        match DateTime::parse_from_rfc3339(text) {
            Ok(moment) if (FIRST..=LAST).contains(&moment.timestamp_millis()) => {
                Ok(Self(moment.timestamp_millis()))
            }
            _ => Err(NotATimestamp(text.to_owned())),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_text_has_fixed_width_and_sorts() {
        let early = Timestamp::from_millis(0);
        let late = Timestamp::from_millis(1_700_000_000_001);
        assert_eq!(early.to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(late.to_string(), "2023-11-14T22:13:20.001Z");
        assert!(early.to_string() < late.to_string());
    }

    #[test]
    fn overlong_timestamp_is_rejected_in_short() {
        let error = format!("2026-01-31T12:00:00.{}Z", "0".repeat(1 << 20))
            .parse::<Timestamp>()
            .expect_err("too long");
        assert!(error.to_string().len() < 200, "{error}");
    }

    #[test]
    fn timestamp_with_offset_is_converted_and_truncated() {
        let read: Timestamp = "2026-01-31T13:00:00.123987+01:00".parse().expect("valid");
        assert_eq!(read.to_string(), "2026-01-31T12:00:00.123Z");
        assert!("yesterday".parse::<Timestamp>().is_err());
    }

    #[test]
    fn timestamp_out_of_range_is_clamped() {
        let end = Timestamp::from_millis(i64::MAX);
        assert_eq!(end.to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(end.after(Duration::MAX), end);
        assert_eq!(Timestamp::from_millis(i64::MIN).to_string(), "0000-01-01T00:00:00.000Z");
    }

    #[test]
    fn since_with_later_moment_is_zero() {
        let (earlier, later) = (Timestamp::from_millis(5_000), Timestamp::from_millis(9_000));
        assert_eq!(earlier.since(later), Duration::ZERO);
        assert_eq!(later.since(earlier), Duration::from_secs(4));
    }
}
