//! Quiet hours: a part of each day in which a device is left alone.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The minutes of a day.
const DAY: i64 = 24 * 60;

/// The milliseconds of a minute.
const MINUTE: i64 = 60_000;

/// The largest offset from UTC, in minutes.
const MAX_OFFSET: i32 = 16 * 60;

/// A part of each day, by the clock of its person. It may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"startMinute": 1320, "endMinute": 420, "utcOffsetMinutes": 60}))))]
#[serde(rename_all = "camelCase")]
pub struct QuietHours {
    /// The start, in minutes after midnight.
    pub start_minute: u16,
    /// The end, in minutes after midnight.
    pub end_minute: u16,
    /// How far the person's clock is ahead of UTC, in minutes.
    pub utc_offset_minutes: i32,
}

impl QuietHours {
    /// Returns true if the minutes are those of a day, and the two differ.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let is_of_day = |minute: u16| i64::from(minute) < DAY;
        is_of_day(self.start_minute)
            && is_of_day(self.end_minute)
            && self.start_minute != self.end_minute
            && self.utc_offset_minutes.abs() <= MAX_OFFSET
    }

    /// The end of the quiet hours, if `now` is in them.
    #[must_use]
    pub fn end_after(&self, now: Timestamp) -> Option<Timestamp> {
        let local = now.as_millis() + i64::from(self.utc_offset_minutes) * MINUTE;
        let minute = local.div_euclid(MINUTE).rem_euclid(DAY);
        let until = |end: u16| (i64::from(end) - minute).rem_euclid(DAY);
        let (to_start, to_end) = (until(self.start_minute), until(self.end_minute));
        // At the start itself, the time to the start is zero, and not a whole day.
        let is_quiet = to_end != 0 && (to_start == 0 || to_end < to_start);
        let rest = to_end * MINUTE - local.rem_euclid(MINUTE);
        is_quiet.then(|| now.after(Duration::from_millis(u64::try_from(rest).unwrap_or_default())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(now: &str, start_minute: u16, end_minute: u16, utc_offset_minutes: i32) -> Option<String> {
        let hours = QuietHours { start_minute, end_minute, utc_offset_minutes };
        assert!(hours.is_valid());
        hours.end_after(now.parse().expect("a time")).map(|end| end.to_string())
    }

    #[test]
    fn quiet_hours_go_over_midnight() {
        let night = |now: &str| end(now, 22 * 60, 7 * 60, 0);
        assert_eq!(night("2026-01-31T21:59:59.999Z"), None);
        let morning = Some("2026-02-01T07:00:00.000Z".to_owned());
        assert_eq!(night("2026-01-31T22:00:00.000Z"), morning);
        assert_eq!(night("2026-02-01T06:59:30.500Z"), morning);
        assert_eq!(night("2026-02-01T07:00:00.000Z"), None);
        assert_eq!(
            end("2026-02-01T12:30:00.000Z", 12 * 60, 13 * 60, 0).as_deref(),
            Some("2026-02-01T13:00:00.000Z")
        );
        assert_eq!(end("2026-02-01T13:00:00.000Z", 12 * 60, 13 * 60, 0), None);
    }

    #[test]
    fn quiet_hours_follow_the_clock_of_their_person() {
        assert_eq!(
            end("2026-01-31T21:30:00.000Z", 22 * 60, 7 * 60, 60).as_deref(),
            Some("2026-02-01T06:00:00.000Z")
        );
        assert_eq!(end("2026-02-01T02:00:00.000Z", 22 * 60, 7 * 60, -300), None);
    }
}
