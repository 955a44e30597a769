//! The pause that a server asks for: the header `Retry-After` (RFC 9110, 10.2.3), in seconds or as a date.

use countersign_events::Timestamp;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};
use std::time::{Duration, UNIX_EPOCH};

/// The pause before the next attempt; `None` if the server asks for none, or in another form. A date is compared with
/// the `Date` of the answer, so that clocks which differ do not matter, and without one with `now`. A date in the past
/// is no pause. The caller limits the pause.
#[must_use]
pub fn read_retry_after(headers: &HeaderMap, now: Option<Timestamp>) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that is too large is a long pause, too.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = parse_date(text)?;
    let from =
        read_date(headers, &DATE).or_else(|| Some(Duration::from_millis(now?.as_millis().try_into().ok()?)));
    Some(until.saturating_sub(from?))
}

fn read_date(headers: &HeaderMap, name: &HeaderName) -> Option<Duration> {
    parse_date(headers.get(name)?.to_str().ok()?.trim())
}

/// The time since 1970.
fn parse_date(text: &str) -> Option<Duration> {
    httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    const DATE_TEXT: &str = "Sat, 31 Jan 2026 12:00:00 GMT";

    fn pause(retry_after: &'static str, date: Option<&'static str>, now: Option<i64>) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(retry_after));
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_static(date));
        }
        read_retry_after(&headers, now.map(Timestamp::from_millis)).map(|pause| pause.as_secs())
    }

    #[test]
    fn seconds_are_read() {
        assert_eq!(pause("90", None, None), Some(90));
        assert_eq!(pause(" 0 ", None, None), Some(0));
        assert_eq!(pause("99999999999999999999", None, None), Some(u64::MAX));
        for bad in ["", "-1", "+1", "1.5", "soon"] {
            assert_eq!(pause(bad, Some(DATE_TEXT), None), None, "{bad}");
        }
    }

    #[test]
    fn date_counts_from_the_date_of_the_answer() {
        for later in
            ["Sat, 31 Jan 2026 12:01:30 GMT", "Saturday, 31-Jan-26 12:01:30 GMT", "Sat Jan 31 12:01:30 2026"]
        {
            assert_eq!(pause(later, Some(DATE_TEXT), Some(0)), Some(90), "{later}");
        }
        assert_eq!(pause("Sat, 31 Jan 2026 11:00:00 GMT", Some(DATE_TEXT), None), Some(0), "in the past");
        assert_eq!(pause(DATE_TEXT, None, Some(1_769_860_790_000)), Some(10), "the own clock");
        assert_eq!(pause(DATE_TEXT, None, None), None);
        assert_eq!(pause("Sat, 31 Feb 2026 11:00:00 GMT", Some(DATE_TEXT), None), None, "no such date");
    }
}
