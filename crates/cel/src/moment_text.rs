//! Reads timestamps, durations and time zones.

use crate::moment::{CelDuration, CelTimestamp, NANOS_PER_SECOND, SECONDS_PER_DAY, to_days};

/// The units of durations, in nanoseconds. A longer name comes before its beginning.
const UNITS: &[(&str, i64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", NANOS_PER_SECOND),
    ("m", 60 * NANOS_PER_SECOND),
    ("h", 3_600 * NANOS_PER_SECOND),
];
/// The digits of a number in a duration before or after its point. More would overflow the calculation.
const MAX_DIGITS: usize = 18;

/// Reads the form of RFC 3339, such as `2024-05-01T12:00:00.5+02:00`.
pub(crate) fn read_timestamp(text: &str) -> Option<CelTimestamp> {
    let (date, time) = text.split_once('T')?;
    let [year, month, day] = read_fields(date, '-', [4, 2, 2])?;
    let days = to_days(year, month, day);
    let next_month = if month == 12 { to_days(year + 1, 1, 1) } else { to_days(year, month + 1, 1) };
    if !(1..=12).contains(&month) || day < 1 || days >= next_month {
        return None;
    }
    let (time, offset) = split_zone(time)?;
    let (clock, fraction) = time.split_once('.').map_or((time, None), |(clock, part)| (clock, Some(part)));
    let [hour, minute, second] = read_fields(clock, ':', [2, 2, 2])?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let nanos = fraction.map_or(Some(0), read_nanos)?;
    CelTimestamp::from_unix(days * SECONDS_PER_DAY + hour * 3_600 + minute * 60 + second - offset, nanos)
}

/// Splits a time of day from its zone, and returns the zone's offset in seconds.
fn split_zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix('Z') {
        return Some((time, 0));
    }
    let zone = time.find(['+', '-'])?;
    Some((&time[..zone], read_offset(&time[zone..])?))
}

/// Reads a time zone, `UTC` or an offset such as `+02:00` or `02:00`, in seconds east of UTC. A name such as
/// `Europe/Paris` is unknown: the rules of zones change, and a condition must have the same result on every machine.
pub(crate) fn read_time_zone(text: &str) -> Option<i64> {
    match text {
        "UTC" => Some(0),
        _ if text.starts_with(['+', '-']) => read_offset(text),
        _ => read_offset(&format!("+{text}")),
    }
}

/// Reads a signed offset such as `-02:30`, in seconds.
fn read_offset(text: &str) -> Option<i64> {
    let (sign, clock) = match text.strip_prefix('-') {
        Some(clock) => (-1, clock),
        None => (1, text.strip_prefix('+')?),
    };
    let [hours, minutes] = read_fields(clock, ':', [2, 2])?;
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3_600 + minutes * 60))
}

/// Reads numbers with fixed digit counts.
fn read_fields<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut numbers = [0; N];
    let mut parts = text.split(separator);
    for (number, digits) in numbers.iter_mut().zip(digits) {
        *number = parts.next().filter(|part| part.len() == digits).and_then(read_digits)?;
    }
    parts.next().is_none().then_some(numbers)
}

fn read_digits(text: &str) -> Option<i64> {
    let fits = (1..=MAX_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// Reads the digits after the decimal point of a second.
fn read_nanos(fraction: &str) -> Option<u32> {
    if fraction.len() > 9 {
        return None;
    }
    read_digits(&format!("{fraction:0<9}"))
        .filter(|_| !fraction.is_empty())
        .and_then(|n| u32::try_from(n).ok())
}

/// Reads a duration such as `1h30m`, `-1.5s` or `0`. Its value must be a whole number of nanoseconds.
pub(crate) fn read_duration(text: &str) -> Option<CelDuration> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut rest = unsigned;
    let mut nanos: i128 = 0;
    while !rest.is_empty() && unsigned != "0" {
        let (amount, after) = read_amount(rest)?;
        nanos = nanos.checked_add(amount)?;
        rest = after;
    }
    if unsigned.is_empty() {
        return None;
    }
    let signed = if text.starts_with('-') { -nanos } else { nanos };
    i64::try_from(signed).ok().map(CelDuration::from_nanos)
}

/// Reads a number and its unit, in nanoseconds, and returns the text after them.
fn read_amount(text: &str) -> Option<(i128, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, after) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let read_part = |part: &str| if part.is_empty() { Some(0) } else { read_digits(part).map(i128::from) };
    let (name, unit) = UNITS.iter().find(|(name, _)| after.starts_with(name))?;
    let unit = i128::from(*unit);
    let scaled = read_part(fraction)? * unit;
    let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    if scaled % scale != 0 {
        return None;
    }
    Some((read_part(whole)? * unit + scaled / scale, &after[name.len()..]))
}
