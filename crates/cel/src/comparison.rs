//! Equality and order. Numbers of different types compare by their exact value.

use crate::value::{CelValue, find_member};
use CelValue::{Bool, Bytes, Double, Duration, Int, List, Map, Null, Text, Timestamp, Type, Uint};
use std::cmp::Ordering;

/// Returns true if two values are equal. Values of different types are not, except for numbers.
pub(crate) fn is_equal(left: &CelValue, right: &CelValue) -> bool {
    match (left, right) {
        (Null, Null) => true,
        (Type(left), Type(right)) => left == right,
        (List(left), List(right)) => {
            left.len() == right.len()
                && left.iter().zip(right.iter()).all(|(left, right)| is_equal(left, right))
        }
        (Map(left), Map(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| {
                    let keys = CelValue::from(key.clone()).to_map_keys();
                    keys.and_then(|keys| find_member(right, &keys))
                        .is_some_and(|other| is_equal(value, other))
                })
        }
        _ => compare(left, right) == Some(Ordering::Equal),
    }
}

/// The order of two values, or `None` if they have none.
pub(crate) fn compare(left: &CelValue, right: &CelValue) -> Option<Ordering> {
    match (left, right) {
        (Bool(left), Bool(right)) => Some(left.cmp(right)),
        (Text(left), Text(right)) => Some(left.cmp(right)),
        (Bytes(left), Bytes(right)) => Some(left.cmp(right)),
        (Timestamp(left), Timestamp(right)) => Some(left.cmp(right)),
        (Duration(left), Duration(right)) => Some(left.cmp(right)),
        (Double(left), Double(right)) => left.partial_cmp(right),
        (Double(left), right) => compare_to_double(to_integer(right)?, *left).map(Ordering::reverse),
        (left, Double(right)) => compare_to_double(to_integer(left)?, *right),
        (left, right) => Some(to_integer(left)?.cmp(&to_integer(right)?)),
    }
}

/// Returns true if an integer and a double are different, but equal after rounding the integer. Implementations of CEL
/// disagree on their order.
pub(crate) fn is_order_disputed(left: &CelValue, right: &CelValue) -> bool {
    let (integer, double) = match (left, right) {
        (Double(double), other) | (other, Double(double)) => (to_integer(other), *double),
        _ => return false,
    };
    #[expect(
        clippy::cast_precision_loss,
        clippy::float_cmp,
        reason = "the comparison is about this rounding"
    )]
    let is_equal_when_rounded = |integer: i128| integer as f64 == double;
    integer.is_some_and(is_equal_when_rounded) && compare(left, right) != Some(Ordering::Equal)
}

fn to_integer(value: &CelValue) -> Option<i128> {
    match value {
        Int(number) => Some(i128::from(*number)),
        Uint(number) => Some(i128::from(*number)),
        _ => None,
    }
}

/// Compares without rounding the integer, which may have more digits than a double can hold.
fn compare_to_double(integer: i128, double: f64) -> Option<Ordering> {
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates beyond the integers of 64 bits")]
    let whole = double.trunc() as i128;
    match integer.cmp(&whole) {
        Ordering::Equal if double.is_finite() => 0.0.partial_cmp(&double.fract()),
        _ if double.is_nan() => None,
        order => Some(order),
    }
}
