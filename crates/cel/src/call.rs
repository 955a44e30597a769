//! Calls functions with their evaluated arguments.

use crate::{
    CelFunction, CelValue, EvaluationBudget, EvaluationError, conversion::convert, format::format_text,
    moment_part::read_part, strings::call_on_text,
};

/// Calls a function. Its result costs what it takes, before it is built.
pub(crate) fn call_function(
    function: CelFunction,
    arguments: &[CelValue],
    budget: &EvaluationBudget,
) -> Result<CelValue, EvaluationError> {
    match (function, arguments) {
        (CelFunction::Size, [value]) => measure(value),
        (CelFunction::Type, [value]) => Ok(CelValue::Type(value.type_name())),
        (CelFunction::Dyn, [value]) => Ok(value.clone()),
        (CelFunction::Format, [CelValue::Text(template), CelValue::List(values)]) => {
            format_text(template, values, budget)
        }
        (_, [value]) if function.converts() => convert(function, value),
        _ if function.reads_time_zone() => read_part(function, arguments),
        _ => call_on_text(function, arguments, budget),
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
