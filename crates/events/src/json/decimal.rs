//! Exact decimal numbers. Doubles would make 9007199254740993 equal to 9007199254740992.

use std::{cmp::Ordering, fmt, iter::repeat_n};

/// A decimal number of any size: 0.DIGITS times ten to the power of `point`. Equal numbers have equal fields.
///
/// Its text is laid out as ECMAScript's `Number::toString` lays out numbers (ECMA-262, 6.1.6.1.20), but is never
/// rounded. A number that a double holds exactly therefore prints as RFC 8785 prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactDecimal {
    negative: bool,
    digits: String,
    point: i32,
}

impl ExactDecimal {
    /// Reads a number as JSON spells it. `None` for any other text, and for an exponent outside 32 bits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
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
        let point = exponent.parse::<i32>().ok()?.checked_add(i32::try_from(shift).ok()?)?;
        Some(Self { negative, digits, point })
    }

    /// Converts a count to a decimal.
    #[must_use]
    pub fn from_count(count: usize) -> Self {
        Self::parse(&count.to_string()).unwrap_or(Self { negative: false, digits: String::new(), point: 0 })
    }

    /// Returns true if the number has no fraction.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.digits.is_empty() || i32::try_from(self.digits.len()).is_ok_and(|length| length <= self.point)
    }

    /// The number of digits after the point.
    #[must_use]
    pub fn fraction_digits(&self) -> usize {
        let digits = i64::try_from(self.digits.len()).unwrap_or(i64::MAX);
        usize::try_from(digits - i64::from(self.point)).unwrap_or(0)
    }

    /// The value as an `i64`, if it fits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        // A 64-bit integer has at most 19 digits, and a whole number that short is laid out without an exponent.
        if self.is_whole() && self.point <= 19 { self.to_string().parse().ok() } else { None }
    }

    /// The value as an `f64`, if a double holds it exactly.
    #[must_use]
    pub fn to_f64(&self) -> Option<f64> {
        let double: f64 = self.to_string().parse().ok()?;
        (double.is_finite() && Self::parse(&format!("{double:e}")).as_ref() == Some(self)).then_some(double)
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // Neither number has leading zeros, so the larger exponent wins; equal exponents compare by digits, as text.
            (false, false) => self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl PartialOrd for ExactDecimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ExactDecimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
        }
    }
}

impl fmt::Display for ExactDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (digits, point) = (self.digits.as_str(), self.point);
        if digits.is_empty() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        let after = usize::try_from(point).unwrap_or(0);
        let zeros = |count: usize| repeat_n('0', count).collect::<String>();
        match point {
            1..=21 if digits.len() <= after => write!(f, "{digits}{}", zeros(after - digits.len())),
            1..=21 => write!(f, "{}.{}", &digits[..after], &digits[after..]),
            -5..=0 => write!(f, "0.{}{digits}", zeros(usize::try_from(-point).unwrap_or(0))),
            _ => {
                let (first, rest) = digits.split_at(1);
                let dot = if rest.is_empty() { "" } else { "." };
                write!(f, "{first}{dot}{rest}e{:+}", i64::from(point) - 1)
            }
        }
    }
}
