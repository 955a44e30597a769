//! Timestamps, durations and types.

use super::{assert_failures, assert_true, evaluate_within, result_of};
use crate::{CelDuration, CelTimestamp, CelValue, EvaluationError, parse};

#[test]
fn types_are_values() {
    assert_true(&[
        "type(1) == int && type('a') == string && type([]) == list && type(args) == map",
        "type(null) == null_type && type(int) == type && type(b'') == bytes && type(1u) != int",
        "type(timestamp(0)) == google.protobuf.Timestamp",
        "type(duration('0')) == google.protobuf.Duration",
        "[1, 'a'].filter(x, type(x) == string) == ['a'] && type(1) in [int, double]",
    ]);
    assert_failures(&[
        ("google.protobuf", "unknown variable `google`"),
        ("int < string", "`<` does not accept (type, type)"),
    ]);
}

#[test]
fn loop_variable_hides_a_type() {
    assert_true(&[
        "[1, 2].map(int, int + 1) == [2, 3]",
        "[{'protobuf': {'Timestamp': 1}}].all(google, google.protobuf.Timestamp == 1)",
        "[1].all(x, [2].all(list, list == 2)) && type([]) == list",
        "['a'].all(string, string(string) == 'a')",
    ]);
}

#[test]
fn timestamps_are_read_and_written() {
    for (text, written) in [
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ("2024-02-29T23:59:59.120Z", "2024-02-29T23:59:59.12Z"),
        ("2024-01-01T01:30:00+02:00", "2023-12-31T23:30:00Z"),
        ("2023-12-31T22:00:00.000000001-02:30", "2024-01-01T00:30:00.000000001Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
    ] {
        let result = result_of(&format!("string(timestamp('{text}'))"));
        assert!(matches!(&result, Ok(CelValue::Text(found)) if **found == *written), "{text}: {result:?}");
    }
    assert_true(&["timestamp('1969-12-31T23:59:59.5Z') < timestamp(0) && int(timestamp(5)) == 5"]);
}

#[test]
fn invalid_timestamps_fail() {
    for text in [
        "",
        "2024-01-01",
        "2024-01-01T00:00:00",
        "2024-01-01 00:00:00Z",
        "2024-01-01t00:00:00z",
        "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2024-13-01T00:00:00Z",
        "2024-00-01T00:00:00Z",
        "2024-01-00T00:00:00Z",
        "2024-01-01T24:00:00Z",
        "2024-01-01T00:00:60Z",
        "2024-01-01T00:00:00.Z",
        "2024-01-01T00:00:00.0000000001Z",
        "2024-01-01T00:00:00+2:00",
        "2024-01-01T00:00:00+24:00",
        "+024-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "2024-01-01T00:00:00ZZ",
        "２024-01-01T00:00:00Z",
    ] {
        let result = result_of(&format!("timestamp('{text}')"));
        assert_eq!(result.err(), Some(EvaluationError::FunctionFails("timestamp")), "{text}");
    }
}

#[test]
fn each_day_has_its_date() {
    let day = |days: i64| CelTimestamp::from_unix(days * 86_400, 0).expect("a year from 1 to 9999");
    let mut before = day(-719_162).to_calendar(0);
    assert_eq!((before.year, before.month, before.day, before.weekday), (1, 1, 1, 1));
    for days in -719_161..=2_932_896 {
        let date = day(days).to_calendar(0);
        assert_eq!(date.weekday, (before.weekday + 1) % 7);
        let is_next_day = (date.year, date.month, date.day) == (before.year, before.month, before.day + 1);
        let is_new_month = date.day == 1 && (date.month == before.month + 1 || date.month == 1);
        assert!(is_next_day || is_new_month, "{date:?} after {before:?}");
        assert_eq!(date.day_of_year, if date.year == before.year { before.day_of_year + 1 } else { 0 });
        before = date;
    }
    assert_eq!((before.year, before.month, before.day), (9999, 12, 31));
}

#[test]
fn durations_are_read_and_written() {
    assert_true(&[
        "string(duration('1h30m')) == '5400s' && string(duration('-1.5s')) == '-1.5s'",
        "string(duration('1ms2us3ns')) == '0.001002003s' && duration('1µs') == duration('1000ns')",
        "duration('0') == duration('-0s') && duration('+.5m') == duration('30s')",
        "duration('-1.5s').getSeconds() == -1 && duration('-1.5s').getMilliseconds() == -500",
        "duration('90m').getHours() == 1 && duration('90m').getMinutes() == 90",
    ]);
    for text in ["", "-", "1", "h", ".s", "1x", "1h 2m", "1s-1s", "1.5ns", "300y", "2562048h", "1_0s", "--1s"]
    {
        let result = result_of(&format!("duration('{text}')"));
        assert_eq!(result.err(), Some(EvaluationError::FunctionFails("duration")), "{text}");
    }
    let digits = "9".repeat(60);
    for text in [format!("{digits}s"), format!("0.{digits}h"), "999999999999999999h".repeat(3)] {
        assert!(result_of(&format!("duration('{text}')")).is_err(), "{text}");
    }
}

#[test]
fn moments_calculate_within_their_range() {
    assert_true(&[
        "timestamp('2024-03-01T00:00:00Z') - timestamp('2024-02-28T00:00:00Z') == duration('48h')",
        "timestamp(0) + duration('1s') == timestamp(1) && duration('1s') + timestamp(0) == timestamp(1)",
        "timestamp(1) - duration('1s') == timestamp(0) && duration('1s') - duration('2s') < duration('0')",
        "timestamp(0) != 0 && timestamp(0) != duration('0') && timestamp(0) in [timestamp(0)]",
    ]);
    assert_failures(&[
        ("timestamp(253402300799) + duration('1s')", "a timestamp or a duration is out of range"),
        ("timestamp(0) - timestamp(-62135596800)", "a timestamp or a duration is out of range"),
        ("duration('2562047h') + duration('2562047h')", "a timestamp or a duration is out of range"),
        ("timestamp(0) + 1", "`+` does not accept (google.protobuf.Timestamp, int)"),
        (
            "duration('1s') - timestamp(0)",
            "`-` does not accept (google.protobuf.Duration, google.protobuf.Timestamp)",
        ),
        ("timestamp(0) < 1", "`<` does not accept (google.protobuf.Timestamp, int)"),
        ("{timestamp(0): 1}", "`{}` does not accept (google.protobuf.Timestamp)"),
    ]);
    let longest = CelValue::Duration(CelDuration::from_nanos(i64::MIN));
    assert_eq!(longest.type_name(), "google.protobuf.Duration");
}

#[test]
fn parts_are_read_in_a_zone() {
    assert_true(&[
        "timestamp('2024-02-29T23:30:00Z').getDate() == 29",
        "timestamp('2024-02-29T23:30:00Z').getDate('+00:30') == 1",
        "timestamp('2024-02-29T23:30:00Z').getMonth('01:00') == 2",
        "timestamp('2024-01-01T00:00:00Z').getFullYear('-00:01') == 2023",
        "timestamp('2024-01-01T00:00:00Z').getDayOfYear('-00:01') == 364",
        "timestamp('2023-01-01T00:00:00Z').getDayOfWeek('UTC') == 0",
        "timestamp('1969-12-31T23:59:59.250Z').getMilliseconds() == 250",
        "timestamp('1969-12-31T23:59:59.250Z').getSeconds() == 59",
    ]);
    assert_failures(&[
        (
            "timestamp(0).getHours('Europe' + '/Paris')",
            "a time zone is not 'UTC' or an offset such as '+02:00'",
        ),
        ("timestamp(0).getHours(2)", "`getHours` does not accept (google.protobuf.Timestamp, int)"),
        ("duration('1h').getMonth()", "`getMonth` does not accept (google.protobuf.Duration)"),
        ("'1h'.getHours()", "`getHours` does not accept (string)"),
    ]);
}

#[test]
fn time_zone_name_is_rejected_when_read() {
    for zone in ["Europe/Paris", "Z", "", "+2:00", "+02", "+24:00", "--02:00", "+-2:00"] {
        let error = parse(&format!("timestamp(0).getHours('{zone}')")).expect_err(zone).to_string();
        assert!(error.starts_with(&format!("unknown time zone `{zone}`; write 'UTC'")), "{error}");
    }
    assert!(evaluate_within("timestamp(0).getHours('+02:00') == 2", 10).is_ok());
}
