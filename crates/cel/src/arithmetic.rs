//! `+ - * / %`, and the sign. Both operands have the same type; integers do not wrap.

use crate::{
    BinaryOperator, CelValue,
    error::EvaluationError::{self, DivisionByZero, NumberOverflow},
};
use BinaryOperator::{Add, Divide, Multiply, Remainder, Subtract};
use CelValue::{Bytes, Double, Duration, Int, List, Text, Timestamp, Uint};

/// Applies an arithmetic operator.
pub(crate) fn calculate(
    operator: BinaryOperator,
    left: &CelValue,
    right: &CelValue,
) -> Result<CelValue, EvaluationError> {
    match (operator, left, right) {
        (_, Int(left), Int(right)) => calculate_int(operator, *left, *right).map(Int),
        (_, Uint(left), Uint(right)) => calculate_uint(operator, *left, *right).map(Uint),
        (Add, Double(left), Double(right)) => Ok(Double(left + right)),
        (Subtract, Double(left), Double(right)) => Ok(Double(left - right)),
        (Multiply, Double(left), Double(right)) => Ok(Double(left * right)),
        (Divide, Double(left), Double(right)) => Ok(Double(left / right)),
        (Add, Text(left), Text(right)) => Ok(Text([&**left, &**right].concat().into())),
        (Add, Bytes(left), Bytes(right)) => Ok(Bytes([&**left, &**right].concat().into())),
        (Add, List(left), List(right)) => Ok(List([&**left, &**right].concat().into())),
        (Add | Subtract, Timestamp(_) | Duration(_), Timestamp(_) | Duration(_)) => {
            calculate_moment(operator, left, right)
        }
        _ => Err(EvaluationError::no_overload(operator.symbol(), &[left, right])),
    }
}

/// Adds and subtracts timestamps and durations.
fn calculate_moment(
    operator: BinaryOperator,
    left: &CelValue,
    right: &CelValue,
) -> Result<CelValue, EvaluationError> {
    let result = match (operator, left, right) {
        (Add, Timestamp(moment), Duration(duration)) | (Add, Duration(duration), Timestamp(moment)) => {
            moment.checked_add(*duration).map(Timestamp)
        }
        (Subtract, Timestamp(moment), Duration(duration)) => moment.checked_sub(*duration).map(Timestamp),
        (Subtract, Timestamp(later), Timestamp(earlier)) => later.duration_since(*earlier).map(Duration),
        (Add, Duration(left), Duration(right)) => left.checked_add(*right).map(Duration),
        (Subtract, Duration(left), Duration(right)) => left.checked_sub(*right).map(Duration),
        _ => return Err(EvaluationError::no_overload(operator.symbol(), &[left, right])),
    };
    result.ok_or(EvaluationError::TimeOverflow)
}

/// Changes the sign.
pub(crate) fn negate(value: &CelValue) -> Result<CelValue, EvaluationError> {
    match value {
        Int(number) => number.checked_neg().map(Int).ok_or(NumberOverflow),
        Double(number) => Ok(Double(-number)),
        _ => Err(EvaluationError::no_overload("-", &[value])),
    }
}

fn calculate_int(operator: BinaryOperator, left: i64, right: i64) -> Result<i64, EvaluationError> {
    let result = match operator {
        Add => left.checked_add(right),
        Subtract => left.checked_sub(right),
        Multiply => left.checked_mul(right),
        Divide | Remainder if right == 0 => return Err(DivisionByZero),
        Divide => left.checked_div(right),
        _ => left.checked_rem(right),
    };
    result.ok_or(NumberOverflow)
}

fn calculate_uint(operator: BinaryOperator, left: u64, right: u64) -> Result<u64, EvaluationError> {
    let result = match operator {
        Add => left.checked_add(right),
        Subtract => left.checked_sub(right),
        Multiply => left.checked_mul(right),
        Divide => return left.checked_div(right).ok_or(DivisionByZero),
        _ => return left.checked_rem(right).ok_or(DivisionByZero),
    };
    result.ok_or(NumberOverflow)
}
