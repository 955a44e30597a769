//! The functions on strings. Indexes count characters. A function pays for its result before it builds it.

use crate::{CelFunction, CelValue, EvaluationBudget, EvaluationError};
use CelValue::{Int, List, Text};

type TextResult = Result<CelValue, EvaluationError>;

/// Calls a function on a string, or `join` on a list.
pub(crate) fn call_on_text(
    function: CelFunction,
    arguments: &[CelValue],
    budget: &EvaluationBudget,
) -> TextResult {
    match (function, arguments) {
        (CelFunction::Contains, [Text(text), Text(part)]) => Ok(CelValue::Bool(text.contains(&**part))),
        (CelFunction::StartsWith, [Text(text), Text(part)]) => Ok(CelValue::Bool(text.starts_with(&**part))),
        (CelFunction::EndsWith, [Text(text), Text(part)]) => Ok(CelValue::Bool(text.ends_with(&**part))),
        (CelFunction::IndexOf | CelFunction::LastIndexOf, _) => find_part(function, arguments, budget),
        (CelFunction::CharAt | CelFunction::Substring, _) => cut(function, arguments, budget),
        (CelFunction::Replace | CelFunction::Split | CelFunction::Join, _) => {
            call_with_many_parts(function, arguments, budget)
        }
        (_, [Text(text)]) => {
            // Each character of `quote` may have a backslash, and the result has two quotes.
            let length = if function == CelFunction::Quote { 2 * text.len() + 2 } else { text.len() };
            budget.pay_output(length, 1)?;
            transform(function, text).ok_or_else(|| no_overload(function, arguments))
        }
        _ => Err(no_overload(function, arguments)),
    }
}

fn no_overload(function: CelFunction, arguments: &[CelValue]) -> EvaluationError {
    EvaluationError::no_overload(function.name(), &arguments.iter().collect::<Vec<_>>())
}

/// The functions that have a string as their only argument.
fn transform(function: CelFunction, text: &str) -> Option<CelValue> {
    Some(match function {
        CelFunction::LowerAscii => text.to_ascii_lowercase().as_str().into(),
        CelFunction::UpperAscii => text.to_ascii_uppercase().as_str().into(),
        CelFunction::Trim => text.trim().into(),
        CelFunction::Reverse => text.chars().rev().collect::<String>().as_str().into(),
        CelFunction::Quote => quote(text).as_str().into(),
        _ => return None,
    })
}

/// The byte offset of a character, or of the end.
fn find_offset(text: &str, index: i64) -> Option<usize> {
    let offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    usize::try_from(index).ok().and_then(|index| offsets.into_iter().nth(index))
}

/// `charAt` and `substring`.
fn cut(function: CelFunction, arguments: &[CelValue], budget: &EvaluationBudget) -> TextResult {
    let (text, start, end) = match (function, arguments) {
        (CelFunction::CharAt, [Text(text), Int(index)]) => (text, *index, None),
        (CelFunction::Substring, [Text(text), Int(start)]) => (text, *start, None),
        (CelFunction::Substring, [Text(text), Int(start), Int(end)]) => (text, *start, Some(*end)),
        _ => return Err(no_overload(function, arguments)),
    };
    budget.pay_output(text.len(), 1)?;
    let end = end.map_or(Some(text.len()), |end| find_offset(text, end));
    let range = find_offset(text, start).zip(end).map(|(start, end)| start..end);
    let found = range.and_then(|range| text.get(range));
    let found = found.ok_or(EvaluationError::FunctionFails(function.name()))?;
    let length = match function {
        CelFunction::CharAt => found.chars().next().map_or(0, char::len_utf8),
        _ => found.len(),
    };
    Ok(found[..length].into())
}

/// `indexOf` from a start, and `lastIndexOf` of an occurrence that begins at most there.
fn find_part(function: CelFunction, arguments: &[CelValue], budget: &EvaluationBudget) -> TextResult {
    let (text, part, start) = match arguments {
        [Text(text), Text(part)] => (text, part, None),
        [Text(text), Text(part), Int(start)] => (text, part, Some(*start)),
        _ => return Err(no_overload(function, arguments)),
    };
    budget.pay_output(text.len(), 1)?;
    let is_last = function == CelFunction::LastIndexOf;
    let default_start = if is_last { text.len() } else { 0 };
    let start = start.map_or(Some(default_start), |start| find_offset(text, start));
    let start = start.ok_or(EvaluationError::FunctionFails(function.name()))?;
    let found = if is_last {
        let mut end = start.saturating_add(part.len()).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text[..end].rfind(&**part)
    } else {
        text[start..].find(&**part).map(|at| start + at)
    };
    let index = found.map_or(Ok(-1), |at| i64::try_from(text[..at].chars().count()));
    index.map(Int).map_err(|_| EvaluationError::NumberOverflow)
}

/// The functions whose results have many parts.
fn call_with_many_parts(
    function: CelFunction,
    arguments: &[CelValue],
    budget: &EvaluationBudget,
) -> TextResult {
    match (function, arguments) {
        (CelFunction::Replace, [Text(text), Text(old), Text(new)]) => replace(text, old, new, -1, budget),
        (CelFunction::Replace, [Text(text), Text(old), Text(new), Int(limit)]) => {
            replace(text, old, new, *limit, budget)
        }
        (CelFunction::Split, [Text(text), Text(separator)]) => split(text, separator, -1, budget),
        (CelFunction::Split, [Text(text), Text(separator), Int(limit)]) => {
            split(text, separator, *limit, budget)
        }
        (CelFunction::Join, [List(parts)]) => join(parts, "", budget),
        (CelFunction::Join, [List(parts), Text(separator)]) => join(parts, separator, budget),
        _ => Err(no_overload(function, arguments)),
    }
}

/// A negative limit is none.
fn to_limit(limit: i64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn replace(text: &str, old: &str, new: &str, limit: i64, budget: &EvaluationBudget) -> TextResult {
    budget.pay_output(text.len(), 1)?;
    let count = text.matches(old).take(to_limit(limit)).count();
    budget.pay_output(count.saturating_mul(new.len()), count)?;
    Ok(text.replacen(old, new, count).as_str().into())
}

/// An empty separator splits into characters. With a limit, the last part has the rest.
fn split(text: &str, separator: &str, limit: i64, budget: &EvaluationBudget) -> TextResult {
    let limit = to_limit(limit);
    budget.pay_output(text.len(), 1)?;
    let separators = if separator.is_empty() {
        text.chars().count().saturating_sub(1)
    } else {
        text.matches(separator).count()
    };
    budget.pay_output(text.len(), separators.saturating_add(1).min(limit))?;
    if limit == 0 || text.is_empty() && separator.is_empty() {
        return Ok(Vec::new().into());
    }
    if !separator.is_empty() {
        return Ok(text.splitn(limit, separator).map(CelValue::from).collect::<Vec<_>>().into());
    }
    let starts: Vec<_> = text.char_indices().map(|(at, _)| at).take(limit).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let parts = starts.iter().zip(ends).map(|(start, end)| CelValue::from(&text[*start..end]));
    Ok(parts.collect::<Vec<_>>().into())
}

fn join(parts: &[CelValue], separator: &str, budget: &EvaluationBudget) -> TextResult {
    let mut joined = String::new();
    for (place, part) in parts.iter().enumerate() {
        let Text(part) = part else {
            return Err(EvaluationError::no_overload(CelFunction::Join.name(), &[part]));
        };
        let separator = if place > 0 { separator } else { "" };
        budget.pay_output(separator.len() + part.len(), 1)?;
        joined.push_str(separator);
        joined.push_str(part);
    }
    Ok(joined.as_str().into())
}

/// Writes a string as a literal in double quotes.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        let letter = match c {
            '\x07' => 'a',
            '\x08' => 'b',
            '\x0c' => 'f',
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\x0b' => 'v',
            '\\' | '"' => c,
            _ => {
                quoted.push(c);
                continue;
            }
        };
        quoted.push('\\');
        quoted.push(letter);
    }
    quoted.push('"');
    quoted
}
