//! A time zone's offset from UTC, to divide time into days.

use crate::Timestamp;
use std::{fmt, str::FromStr};

/// The farthest offset from UTC, in minutes: 14 hours.
const MAX_MINUTES: i16 = 14 * 60;

/// The milliseconds in a minute and in a day.
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// A time zone's offset from UTC, in minutes east. It is the same for all times: it ignores clock changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UtcOffset(i16);

/// A string that is not an offset from UTC.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be the minutes east of UTC, from -840 to 840, not {0:?}")]
pub struct NotAnOffset(String);

/// A string that is not a date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a date such as 2026-01-31, not {0:?}")]
pub struct NotADate(String);

impl UtcOffset {
    /// Creates the offset of `minutes` east of UTC. A farther one than any time zone has is cut to 14 hours.
    #[must_use]
    pub const fn from_minutes(minutes: i16) -> Self {
        Self(if minutes > MAX_MINUTES {
            MAX_MINUTES
        } else if minutes < -MAX_MINUTES {
            -MAX_MINUTES
        } else {
            minutes
        })
    }

    /// The moment at which a day begins at this offset.
    #[must_use]
    pub fn start_of_day(self, day: i64) -> Timestamp {
        Timestamp::from_millis(day.saturating_mul(DAY).saturating_sub(i64::from(self.0) * MINUTE))
    }

    /// The day number of a date such as 2026-01-31.
    pub fn parse_day(date: &str) -> Result<i64, NotADate> {
        let start = (date.len() == 10).then(|| format!("{date}T00:00:00Z").parse::<Timestamp>().ok());
        let start = start.flatten().ok_or_else(|| NotADate(date.chars().take(40).collect()))?;
        Ok(start.as_millis().div_euclid(DAY))
    }

    /// The day number at this offset: 0 is 1970-01-01.
    #[must_use]
    pub fn day_of(self, at: Timestamp) -> i64 {
        (at.as_millis() + i64::from(self.0) * MINUTE).div_euclid(DAY)
    }

    /// A day's date, as in 2026-01-31.
    #[must_use]
    pub fn format_day(day: i64) -> String {
        let start = Timestamp::from_millis(day.saturating_mul(DAY)).to_string();
        start.split_once('T').map_or_else(String::new, |(date, _)| date.to_owned())
    }
}

impl FromStr for UtcOffset {
    type Err = NotAnOffset;

    fn from_str(text: &str) -> Result<Self, NotAnOffset> {
        let minutes =
            text.parse::<i16>().ok().filter(|minutes| (-MAX_MINUTES..=MAX_MINUTES).contains(minutes));
        minutes.map(Self).ok_or_else(|| NotAnOffset(text.chars().take(40).collect()))
    }
}

impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_begins_at_midnight_of_the_offset() {
        let at: Timestamp = "2026-01-31T23:30:00Z".parse().expect("a time");
        for (minutes, date) in
            [("0", "2026-01-31"), ("60", "2026-02-01"), ("-840", "2026-01-31"), ("840", "2026-02-01")]
        {
            let offset: UtcOffset = minutes.parse().expect("an offset");
            assert_eq!(UtcOffset::format_day(offset.day_of(at)), date, "{minutes}");
        }
        assert_eq!(UtcOffset::format_day(-1), "1969-12-31");
        for (minutes, start) in [("0", "2026-01-31T00:00:00Z"), ("-300", "2026-01-31T05:00:00Z")] {
            let (offset, day) =
                (minutes.parse::<UtcOffset>().expect("an offset"), UtcOffset::parse_day("2026-01-31"));
            assert_eq!(offset.start_of_day(day.expect("a date")), start.parse().expect("a time"));
        }
        for bad in ["", "2026-1-31", "2026-02-30", "2026-01-31T", "yesterday", "2026-01-3é"] {
            assert!(UtcOffset::parse_day(bad).is_err(), "{bad}");
        }
        for bad in ["", "841", "-841", "+02:00", "1.5", "99999999999"] {
            assert!(bad.parse::<UtcOffset>().is_err(), "{bad}");
        }
    }
}
