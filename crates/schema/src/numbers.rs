//! The keywords of numbers.

use crate::{
    UnusableSchema,
    validator::{Application, Checked, Validator, ViolationList},
};
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// A keyword with a bound.
#[derive(Clone, Copy)]
struct BoundKeyword {
    name: &'static str,
    /// The accepted orderings of value and bound.
    fits: fn(Ordering) -> bool,
    words: &'static str,
}

const MINIMUM: BoundKeyword =
    BoundKeyword { name: "minimum", fits: Ordering::is_ge, words: "less than the minimum of" };
const MAXIMUM: BoundKeyword =
    BoundKeyword { name: "maximum", fits: Ordering::is_le, words: "greater than the maximum of" };
const ABOVE: BoundKeyword = BoundKeyword {
    name: "exclusiveMinimum",
    fits: Ordering::is_gt,
    words: "less than or equal to the minimum of",
};
const BELOW: BoundKeyword = BoundKeyword {
    name: "exclusiveMaximum",
    fits: Ordering::is_lt,
    words: "greater than or equal to the maximum of",
};

impl<'s> Validator<'s> {
    pub(crate) fn check_number(
        &mut self,
        on: Application<'s, '_>,
        number: &Number,
        violations: &mut ViolationList,
    ) -> Checked {
        self.budget.take(1)?;
        for (plain, exclusive) in [(MINIMUM, ABOVE), (MAXIMUM, BELOW)] {
            match on.keyword(exclusive.name) {
                // In draft 4, `exclusiveMinimum` is a bool that changes the meaning of `minimum`.
                Some(Value::Bool(true)) => {
                    check_bound(on, number, BoundKeyword { name: plain.name, ..exclusive }, violations)?;
                }
                Some(Value::Bool(false)) => check_bound(on, number, plain, violations)?,
                _ => {
                    check_bound(on, number, plain, violations)?;
                    check_bound(on, number, exclusive, violations)?;
                }
            }
        }
        let Some(divisor) = number_keyword(on, "multipleOf")? else { return Ok(()) };
        let invalid = UnusableSchema::InvalidKeyword { keyword: "multipleOf", expected: "a number above 0" };
        let is_positive = divisor.as_f64().is_some_and(|divisor| divisor > 0.0);
        if !is_positive {
            return Err(invalid);
        }
        if !is_multiple(number, divisor) {
            violations.add(on.place, || format!("{number} is not a multiple of {divisor}"));
        }
        Ok(())
    }
}

fn check_bound(
    on: Application<'_, '_>,
    number: &Number,
    BoundKeyword { name, fits, words }: BoundKeyword,
    violations: &mut ViolationList,
) -> Checked {
    if let Some(bound) = number_keyword(on, name)?
        && !compare(number, bound).is_some_and(fits)
    {
        violations.add(on.place, || format!("{number} is {words} {bound}"));
    }
    Ok(())
}

fn number_keyword<'s>(
    on: Application<'s, '_>,
    keyword: &'static str,
) -> Result<Option<&'s Number>, UnusableSchema> {
    match on.keyword(keyword) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number)),
        Some(_) => Err(UnusableSchema::InvalidKeyword { keyword, expected: "a number" }),
    }
}

fn to_integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    match (to_integer(left), to_integer(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// Compares decimal digits, because 0.3 is a multiple of 0.1 although their doubles are not.
fn is_multiple(number: &Number, divisor: &Number) -> bool {
    match (to_decimal(number), to_decimal(divisor)) {
        (Some((number, number_scale)), Some((divisor, divisor_scale))) => {
            let scale = number_scale.max(divisor_scale);
            let raise = |digits: i128, from: u32| digits.checked_mul(10_i128.checked_pow(scale - from)?);
            match (raise(number, number_scale), raise(divisor, divisor_scale)) {
                (Some(number), Some(divisor)) => number % divisor == 0,
                _ => false,
            }
        }
        _ => number.as_f64().zip(divisor.as_f64()).is_some_and(|(number, divisor)| number % divisor == 0.0),
    }
}

/// The digits in a number, and how many of them follow the point. `None` if it has very many digits.
fn to_decimal(number: &Number) -> Option<(i128, u32)> {
    if let Some(integer) = to_integer(number) {
        return Some((integer, 0));
    }
    let text = number.as_f64().filter(|double| (1e-15..1e15).contains(&double.abs()))?.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = format!("{whole}{fraction}").parse().ok()?;
    Some((digits, u32::try_from(fraction.len()).ok()?))
}
