//! Timestamps and durations. They have nanoseconds; no function reads a clock.

use std::fmt;

pub(crate) const NANOS_PER_SECOND: i64 = 1_000_000_000;
pub(crate) const SECONDS_PER_DAY: i64 = 86_400;
/// The first and the last second of the years 1 to 9999, counted from 1970.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// A moment of the years 1 to 9999, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CelTimestamp {
    seconds: i64,
    nanos: u32,
}

/// A duration of at most 292 years. It may be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CelDuration {
    nanos: i64,
}

/// A date and a time of day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CalendarTime {
    pub(crate) year: i64,
    /// From 1.
    pub(crate) month: i64,
    /// From 1.
    pub(crate) day: i64,
    /// The day of the year, from 0.
    pub(crate) day_of_year: i64,
    /// Sunday is 0.
    pub(crate) weekday: i64,
    /// The seconds since midnight.
    pub(crate) second_of_day: i64,
}

impl CelTimestamp {
    /// The moment so many seconds after 1970, or `None` outside the years 1 to 9999.
    #[must_use]
    pub fn from_unix(seconds: i64, nanos: u32) -> Option<Self> {
        (SECONDS.contains(&seconds) && i64::from(nanos) < NANOS_PER_SECOND).then_some(Self { seconds, nanos })
    }

    /// The whole seconds since 1970, rounded down.
    pub(crate) const fn seconds(self) -> i64 {
        self.seconds
    }

    /// The nanoseconds after the last whole second.
    pub(crate) const fn nanos(self) -> u32 {
        self.nanos
    }

    fn total_nanos(self) -> i128 {
        i128::from(self.seconds) * i128::from(NANOS_PER_SECOND) + i128::from(self.nanos)
    }

    /// The moment later by a duration, which must be one of the years 1 to 9999.
    pub(crate) fn checked_add(self, duration: CelDuration) -> Option<Self> {
        Self::from_total(self.total_nanos() + i128::from(duration.nanos))
    }

    /// The moment earlier by a duration.
    pub(crate) fn checked_sub(self, duration: CelDuration) -> Option<Self> {
        Self::from_total(self.total_nanos() - i128::from(duration.nanos))
    }

    /// The duration since an earlier moment.
    pub(crate) fn duration_since(self, earlier: Self) -> Option<CelDuration> {
        let nanos = self.total_nanos() - earlier.total_nanos();
        i64::try_from(nanos).ok().map(CelDuration::from_nanos)
    }

    fn from_total(nanos: i128) -> Option<Self> {
        let second = i128::from(NANOS_PER_SECOND);
        let seconds = i64::try_from(nanos.div_euclid(second)).ok()?;
        Self::from_unix(seconds, u32::try_from(nanos.rem_euclid(second)).ok()?)
    }

    /// The date and time of day in a zone so many seconds east of UTC.
    pub(crate) fn to_calendar(self, offset_seconds: i64) -> CalendarTime {
        let local = self.seconds + offset_seconds;
        let days = local.div_euclid(SECONDS_PER_DAY);
        let mut time = to_date(days);
        // 1970 began on a Thursday.
        time.weekday = (days + 4).rem_euclid(7);
        time.second_of_day = local.rem_euclid(SECONDS_PER_DAY);
        time
    }
}

impl CelDuration {
    /// A duration of so many nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: i64) -> Self {
        Self { nanos }
    }

    /// The nanoseconds.
    pub(crate) const fn nanos(self) -> i64 {
        self.nanos
    }

    pub(crate) fn checked_add(self, other: Self) -> Option<Self> {
        self.nanos.checked_add(other.nanos).map(Self::from_nanos)
    }

    pub(crate) fn checked_sub(self, other: Self) -> Option<Self> {
        self.nanos.checked_sub(other.nanos).map(Self::from_nanos)
    }
}

/// The date of a day, counted from 1970. The calculation uses years that begin on 1 March, so a leap day is the last.
fn to_date(days: i64) -> CalendarTime {
    let since_march = days + 719_468;
    let era = since_march.div_euclid(146_097);
    let day_of_era = since_march.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_march_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_march_year + 2) / 153;
    let day = day_of_march_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let day_of_year = days - to_days(year, 1, 1);
    CalendarTime { year, month, day, day_of_year, weekday: 0, second_of_day: 0 }
}

/// The days from 1970 to a date. The month and the day count from 1.
pub(crate) const fn to_days(year: i64, month: i64, day: i64) -> i64 {
    let march_year = if month <= 2 { year - 1 } else { year };
    let march_month = (month + 9) % 12;
    let era = march_year.div_euclid(400);
    let year_of_era = march_year.rem_euclid(400);
    let day_of_year = (153 * march_month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Writes the fraction of a second without trailing zeros.
fn write_fraction(f: &mut fmt::Formatter<'_>, nanos: u64) -> fmt::Result {
    if nanos == 0 {
        return Ok(());
    }
    write!(f, ".{}", format!("{nanos:09}").trim_end_matches('0'))
}

impl fmt::Display for CelTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CalendarTime { year, month, day, second_of_day, .. } = self.to_calendar(0);
        let (hour, minute, second) = (second_of_day / 3_600, second_of_day / 60 % 60, second_of_day % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        write_fraction(f, u64::from(self.nanos))?;
        f.write_str("Z")
    }
}

impl fmt::Display for CelDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nanos, second) = (self.nanos.unsigned_abs(), NANOS_PER_SECOND.unsigned_abs());
        write!(f, "{}{}", if self.nanos < 0 { "-" } else { "" }, nanos / second)?;
        write_fraction(f, nanos % second)?;
        f.write_str("s")
    }
}
