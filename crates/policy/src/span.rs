//! Durations in a policy.

use std::time::Duration;

/// The maximum length of a duration string, in bytes.
const MAX_SPAN_BYTES: usize = 16;

/// Parses a whole number of seconds, minutes, hours or days: `90s`, `15m`, `2h`, `1d`. Returns `None` for
/// any other text, and for zero.
#[must_use]
pub fn parse_span(text: &str) -> Option<Duration> {
    if text.len() > MAX_SPAN_BYTES {
        return None;
    }
    let unit = text.chars().last()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let count = text.strip_suffix(unit)?;
    let digits = count.bytes().all(|byte| byte.is_ascii_digit());
    let count: u32 = count.parse().ok().filter(|_| digits)?;
    (count > 0).then(|| Duration::from_secs(u64::from(count) * seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlong_span_is_rejected() {
        assert_eq!(parse_span(&format!("{}1s", "0".repeat(14))), Some(Duration::from_secs(1)));
        assert_eq!(parse_span(&format!("{}1s", "0".repeat(15))), None);
        assert_eq!(parse_span(&"9".repeat(1 << 20)), None);
    }
}
