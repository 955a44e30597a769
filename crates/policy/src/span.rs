//! Durations in a policy.

use std::time::Duration;

/// Parses a whole number of seconds, minutes, hours or days: `90s`, `15m`, `2h`, `1d`. Returns `None` for
/// any other text, and for zero.
#[must_use]
pub fn parse_span(text: &str) -> Option<Duration> {
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
