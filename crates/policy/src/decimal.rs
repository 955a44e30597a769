//! Numbers by their exact decimal value, so that 9007199254740993 is more than 9007199254740992.

use std::{cmp::Ordering, fmt};

/// A decimal number of any size: 0.DIGITS times ten to the power of `point`. Equal numbers have equal fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    point: i64,
}

impl Decimal {
    /// Reads a number as JSON spells it. `None` for anything else, and for an exponent past all bounds.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let joined = [whole, fraction].concat();
        if joined.is_empty() || !joined.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let leading = joined.trim_start_matches('0');
        let digits = leading.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, point: 0 });
        }
        let shift = i64::try_from(leading.len()).ok()? - i64::try_from(fraction.len()).ok()?;
        let point = i64::from(exponent.parse::<i32>().ok()?) + shift;
        Some(Self { negative, digits, point })
    }

    /// A count.
    pub(crate) fn of(count: usize) -> Self {
        Self::read(&count.to_string()).unwrap_or(Self { negative: false, digits: String::new(), point: 0 })
    }

    /// Whether it is a whole number.
    pub(crate) fn is_whole(&self) -> bool {
        i64::try_from(self.digits.len()).is_ok_and(|length| length <= self.point) || self.digits.is_empty()
    }

    /// As a 64-bit integer, if it is one.
    pub(crate) fn to_i64(&self) -> Option<i64> {
        if !self.is_whole() || self.point > 19 {
            return None;
        }
        self.whole()?.parse().ok()
    }

    /// As a double, if no more digits were given than a double keeps.
    pub(crate) fn to_f64(&self) -> Option<f64> {
        let double: f64 = self.to_string().parse().ok()?;
        (double.is_finite() && Self::read(&format!("{double:e}")).as_ref() == Some(self)).then_some(double)
    }

    fn whole(&self) -> Option<String> {
        let zeros = usize::try_from(self.point).ok()?.checked_sub(self.digits.len())?;
        let sign = if self.negative { "-" } else { "" };
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        Some(format!("{sign}{digits}{}", "0".repeat(zeros)))
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // Without leading zeros a longer number is a larger one, and digits compare as text does.
            (false, false) => self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.magnitude(other),
            (true, true) => other.magnitude(self),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(whole) = self.to_i64() {
            return write!(f, "{whole}");
        }
        let sign = if self.negative { "-" } else { "" };
        match usize::try_from(self.point) {
            Ok(point) if point < self.digits.len() && point > 0 => {
                write!(f, "{sign}{}.{}", &self.digits[..point], &self.digits[point..])
            }
            Ok(0) => write!(f, "{sign}0.{}", self.digits),
            _ => write!(f, "{sign}0.{}e{}", self.digits, self.point),
        }
    }
}
