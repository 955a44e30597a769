//! Calls functions with their evaluated arguments.

use crate::{CelFunction, CelValue, EvaluationError, conversion::convert, moment_part::read_part};

/// Calls a function.
pub(crate) fn call_function(
    function: CelFunction,
    arguments: &[CelValue],
) -> Result<CelValue, EvaluationError> {
    match (function, arguments) {
        (CelFunction::Size, [value]) => measure(value),
        (CelFunction::Type, [value]) => Ok(CelValue::Type(value.type_name())),
        (CelFunction::Dyn, [value]) => Ok(value.clone()),
        (_, [value]) if function.converts() => convert(function, value),
        _ if function.reads_time_zone() => read_part(function, arguments),
        (_, [CelValue::Text(text), CelValue::Text(part)]) => Ok(CelValue::Bool(match function {
            CelFunction::StartsWith => text.starts_with(&**part),
            CelFunction::EndsWith => text.ends_with(&**part),
            _ => text.contains(&**part),
        })),
        (_, values) => Err(EvaluationError::no_overload(function.name(), &values.iter().collect::<Vec<_>>())),
    }
}

/// The number of characters, bytes, elements or members.
fn measure(value: &CelValue) -> Result<CelValue, EvaluationError> {
    let size = match value {
        CelValue::Text(text) => text.chars().count(),
        CelValue::Bytes(bytes) => bytes.len(),
        CelValue::List(elements) => elements.len(),
        CelValue::Map(members) => members.len(),
        other => return Err(EvaluationError::no_overload("size", &[other])),
    };
    i64::try_from(size).map(CelValue::Int).map_err(|_| EvaluationError::NumberOverflow)
}
