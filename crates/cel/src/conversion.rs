//! The functions that convert a value to a type.

use crate::{
    CelFunction, CelTimestamp, CelValue, EvaluationError,
    moment_text::{read_duration, read_timestamp},
    value::to_whole,
};
use CelValue::{Bool, Bytes, Double, Duration, Int, Text, Timestamp, Uint};

/// Converts a value to the type that the function names.
pub(crate) fn convert(function: CelFunction, value: &CelValue) -> Result<CelValue, EvaluationError> {
    let converted = match function {
        CelFunction::Int => to_int(value),
        CelFunction::Uint => to_uint(value),
        CelFunction::Double => to_double(value),
        CelFunction::Bool => to_bool(value),
        CelFunction::Bytes => to_bytes(value),
        CelFunction::Timestamp => to_timestamp(value),
        CelFunction::Duration => to_duration(value),
        _ => to_text(value),
    };
    match converted {
        Some(Some(converted)) => Ok(converted),
        Some(None) => Err(EvaluationError::FunctionFails(function.name())),
        None => Err(EvaluationError::no_overload(function.name(), &[value])),
    }
}

/// `None` if no value of the type can be converted, `Some(None)` if this one cannot.
type Converted = Option<Option<CelValue>>;

fn to_int(value: &CelValue) -> Converted {
    Some(match value {
        Int(number) => Some(Int(*number)),
        Uint(number) => i64::try_from(*number).ok().map(Int),
        // The smallest integer is excluded, as in other implementations.
        Double(number) => {
            let whole = to_whole(number.trunc()).and_then(|whole| i64::try_from(whole).ok());
            whole.filter(|whole| *whole != i64::MIN).map(Int)
        }
        Text(text) => text.parse().ok().map(Int),
        Timestamp(moment) => Some(Int(moment.seconds())),
        _ => return None,
    })
}

fn to_uint(value: &CelValue) -> Converted {
    Some(match value {
        Uint(number) => Some(Uint(*number)),
        Int(number) => u64::try_from(*number).ok().map(Uint),
        // A number between -1 and 0 is negative, although its whole part is not.
        Double(number) if *number < 0.0 => None,
        Double(number) => to_whole(number.trunc()).and_then(|whole| u64::try_from(whole).ok()).map(Uint),
        Text(text) => text.parse().ok().map(Uint),
        _ => return None,
    })
}

fn to_double(value: &CelValue) -> Converted {
    #[expect(clippy::cast_precision_loss, reason = "the function rounds to the nearest double")]
    Some(match value {
        Double(number) => Some(Double(*number)),
        Int(number) => Some(Double(*number as f64)),
        Uint(number) => Some(Double(*number as f64)),
        Text(text) => text.parse().ok().map(Double),
        _ => return None,
    })
}

fn to_bool(value: &CelValue) -> Converted {
    match value {
        Bool(_) => Some(Some(value.clone())),
        Text(text) => Some(match &**text {
            "1" | "t" | "true" | "TRUE" | "True" => Some(Bool(true)),
            "0" | "f" | "false" | "FALSE" | "False" => Some(Bool(false)),
            _ => None,
        }),
        _ => None,
    }
}

fn to_bytes(value: &CelValue) -> Converted {
    match value {
        Bytes(_) => Some(Some(value.clone())),
        Text(text) => Some(Some(Bytes(text.as_bytes().into()))),
        _ => None,
    }
}

/// An integer counts the seconds since 1970.
fn to_timestamp(value: &CelValue) -> Converted {
    Some(match value {
        Timestamp(moment) => Some(Timestamp(*moment)),
        Int(seconds) => CelTimestamp::from_unix(*seconds, 0).map(Timestamp),
        Text(text) => read_timestamp(text).map(Timestamp),
        _ => return None,
    })
}

fn to_duration(value: &CelValue) -> Converted {
    Some(match value {
        Duration(duration) => Some(Duration(*duration)),
        Text(text) => read_duration(text).map(Duration),
        _ => return None,
    })
}

fn to_text(value: &CelValue) -> Converted {
    let text = match value {
        Text(_) => return Some(Some(value.clone())),
        Bool(yes) => yes.to_string(),
        Int(number) => number.to_string(),
        Uint(number) => number.to_string(),
        Double(number) => number.to_string(),
        Timestamp(moment) => moment.to_string(),
        Duration(duration) => duration.to_string(),
        Bytes(bytes) => return Some(std::str::from_utf8(bytes).ok().map(CelValue::from)),
        _ => return None,
    };
    Some(Some(Text(text.into())))
}
