//! The functions that read a part of a timestamp or of a duration, such as `getHours`.

use crate::{
    CelDuration, CelFunction, CelTimestamp, CelValue, EvaluationError, moment::NANOS_PER_SECOND,
    moment_text::read_time_zone,
};

const NANOS_PER_MILLISECOND: i64 = 1_000_000;

/// Calls a function such as `getHours` on a timestamp, which may have a time zone, or on a duration.
pub(crate) fn read_part(function: CelFunction, arguments: &[CelValue]) -> Result<CelValue, EvaluationError> {
    let part = match arguments {
        [CelValue::Timestamp(moment)] => read_timestamp_part(function, *moment, 0),
        [CelValue::Timestamp(moment), CelValue::Text(zone)] => {
            let offset = read_time_zone(zone).ok_or(EvaluationError::UnknownTimeZone)?;
            read_timestamp_part(function, *moment, offset)
        }
        [CelValue::Duration(duration)] => read_duration_part(function, *duration),
        _ => None,
    };
    let no_overload = || EvaluationError::no_overload(function.name(), &arguments.iter().collect::<Vec<_>>());
    part.map(CelValue::Int).ok_or_else(no_overload)
}

fn read_timestamp_part(function: CelFunction, moment: CelTimestamp, offset: i64) -> Option<i64> {
    let time = moment.to_calendar(offset);
    Some(match function {
        CelFunction::FullYear => time.year,
        CelFunction::Month => time.month - 1,
        CelFunction::Date => time.day,
        CelFunction::DayOfMonth => time.day - 1,
        CelFunction::DayOfWeek => time.weekday,
        CelFunction::DayOfYear => time.day_of_year,
        CelFunction::Hours => time.second_of_day / 3_600,
        CelFunction::Minutes => time.second_of_day / 60 % 60,
        CelFunction::Seconds => time.second_of_day % 60,
        CelFunction::Milliseconds => i64::from(moment.nanos()) / NANOS_PER_MILLISECOND,
        _ => return None,
    })
}

/// The whole duration in a unit. Only the milliseconds are those after the last whole second.
fn read_duration_part(function: CelFunction, duration: CelDuration) -> Option<i64> {
    let seconds = duration.nanos() / NANOS_PER_SECOND;
    Some(match function {
        CelFunction::Hours => seconds / 3_600,
        CelFunction::Minutes => seconds / 60,
        CelFunction::Seconds => seconds,
        CelFunction::Milliseconds => duration.nanos() % NANOS_PER_SECOND / NANOS_PER_MILLISECOND,
        _ => return None,
    })
}
