//! The function `format`, which fills values into a template such as `'%d of %.2f'`.

use crate::{CelFunction, CelValue, EvaluationBudget, EvaluationError, MapKey, value::to_whole};
use CelValue::{Bool, Bytes, Double, Int, List, Map, Text, Uint};
use std::collections::BTreeMap;

const DEFAULT_PRECISION: usize = 6;
/// The most digits after the decimal point.
const MAX_PRECISION: usize = 100;
const HEXADECIMAL_LOWER: &[u8; 16] = b"0123456789abcdef";
const HEXADECIMAL_UPPER: &[u8; 16] = b"0123456789ABCDEF";
/// The reason when a template and its values do not fit.
const FAILS: EvaluationError = EvaluationError::FunctionFails(CelFunction::Format.name());

/// Fills in a template. Each value must have its clause, and each clause its value.
pub(crate) fn format_text(
    template: &str,
    values: &[CelValue],
    budget: &EvaluationBudget,
) -> Result<CelValue, EvaluationError> {
    let mut writer = TemplateWriter { output: String::new(), budget };
    let mut values = values.iter();
    let mut rest = template;
    while let Some((before, clause)) = rest.split_once('%') {
        writer.push(before)?;
        if let Some(after) = clause.strip_prefix('%') {
            writer.push("%")?;
            rest = after;
            continue;
        }
        let (precision, clause) = read_precision(clause)?;
        let conversion = clause.chars().next().ok_or(FAILS)?;
        writer.push_value(conversion, precision, values.next().ok_or(FAILS)?)?;
        rest = &clause[conversion.len_utf8()..];
    }
    writer.push(rest)?;
    if values.next().is_some() {
        return Err(FAILS);
    }
    Ok(writer.output.as_str().into())
}

/// Reads the precision of a clause, such as `.2`, and returns the text after it.
fn read_precision(clause: &str) -> Result<(Option<usize>, &str), EvaluationError> {
    let Some(digits) = clause.strip_prefix('.') else { return Ok((None, clause)) };
    let end = digits.find(|c: char| !c.is_ascii_digit()).ok_or(FAILS)?;
    let precision = digits[..end].parse().ok().filter(|precision| *precision <= MAX_PRECISION);
    Ok((Some(precision.ok_or(FAILS)?), &digits[end..]))
}

struct TemplateWriter<'a> {
    output: String,
    budget: &'a EvaluationBudget,
}

impl TemplateWriter<'_> {
    fn push(&mut self, text: &str) -> Result<(), EvaluationError> {
        self.budget.pay_output(text.len(), 1)?;
        self.output.push_str(text);
        Ok(())
    }

    fn push_value(
        &mut self,
        conversion: char,
        precision: Option<usize>,
        value: &CelValue,
    ) -> Result<(), EvaluationError> {
        if precision.is_some() && !matches!(conversion, 'e' | 'f') {
            return Err(FAILS);
        }
        let precision = precision.unwrap_or(DEFAULT_PRECISION);
        let number = match conversion {
            's' => return self.push_as_text(value),
            'x' | 'X' => return self.push_hexadecimal(conversion == 'X', value),
            'd' => match value {
                Int(number) => number.to_string(),
                Uint(number) => number.to_string(),
                Double(number) => write_double(*number),
                _ => return Err(FAILS),
            },
            'b' => match value {
                Bool(yes) => u8::from(*yes).to_string(),
                _ => write_integer(value, |digits| format!("{digits:b}"))?,
            },
            'o' => write_integer(value, |digits| format!("{digits:o}"))?,
            'f' => {
                let number = to_exact_double(value)?;
                write_special(number).unwrap_or_else(|| format!("{number:.precision$}"))
            }
            'e' => {
                let number = to_exact_double(value)?;
                write_special(number).map_or_else(|| write_scientific(number, precision), Ok)?
            }
            _ => return Err(FAILS),
        };
        self.push(&number)
    }

    fn push_as_text(&mut self, value: &CelValue) -> Result<(), EvaluationError> {
        match value {
            CelValue::Null => self.push("null"),
            Bool(yes) => self.push(if *yes { "true" } else { "false" }),
            Int(number) => self.push(&number.to_string()),
            Uint(number) => self.push(&number.to_string()),
            Double(number) => self.push(&write_double(*number)),
            Text(text) => self.push(text),
            Bytes(bytes) => self.push(std::str::from_utf8(bytes).map_err(|_| FAILS)?),
            CelValue::Type(name) => self.push(name),
            CelValue::Timestamp(moment) => self.push(&moment.to_string()),
            CelValue::Duration(duration) => self.push(&duration.to_string()),
            List(elements) => self.push_list(elements),
            Map(members) => self.push_map(members),
        }
    }

    fn push_list(&mut self, elements: &[CelValue]) -> Result<(), EvaluationError> {
        self.push("[")?;
        for (place, element) in elements.iter().enumerate() {
            self.push(if place > 0 { ", " } else { "" })?;
            self.push_as_text(element)?;
        }
        self.push("]")
    }

    /// Writes the members in the order of their written keys.
    fn push_map(&mut self, members: &BTreeMap<MapKey, CelValue>) -> Result<(), EvaluationError> {
        let keys = members.iter().map(|(key, member)| {
            let mut writer = TemplateWriter { output: String::new(), budget: self.budget };
            writer.push_as_text(&key.clone().into()).map(|()| (writer.output, member))
        });
        let mut entries = keys.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by(|(left, _), (right, _)| left.cmp(right));
        self.push("{")?;
        for (place, (key, member)) in entries.into_iter().enumerate() {
            self.push(if place > 0 { ", " } else { "" })?;
            self.push(&key)?;
            self.push(": ")?;
            self.push_as_text(member)?;
        }
        self.push("}")
    }

    fn push_hexadecimal(&mut self, is_upper: bool, value: &CelValue) -> Result<(), EvaluationError> {
        let bytes = match value {
            Text(text) => text.as_bytes(),
            Bytes(bytes) => bytes,
            _ if is_upper => return self.push(&write_integer(value, |digits| format!("{digits:X}"))?),
            _ => return self.push(&write_integer(value, |digits| format!("{digits:x}"))?),
        };
        self.budget.pay_output(2 * bytes.len(), 1)?;
        for byte in bytes {
            let digits = if is_upper { HEXADECIMAL_UPPER } else { HEXADECIMAL_LOWER };
            self.output.extend([byte >> 4, byte & 15].map(|digit| char::from(digits[usize::from(digit)])));
        }
        Ok(())
    }
}

/// Writes an integer in another base, with its sign.
fn write_integer(value: &CelValue, write: fn(u64) -> String) -> Result<String, EvaluationError> {
    match value {
        Int(number) if *number < 0 => Ok(format!("-{}", write(number.unsigned_abs()))),
        Int(number) => Ok(write(number.unsigned_abs())),
        Uint(number) => Ok(write(*number)),
        _ => Err(FAILS),
    }
}

/// The double that equals a number. An integer without one fails, instead of being rounded.
fn to_exact_double(value: &CelValue) -> Result<f64, EvaluationError> {
    #[expect(clippy::cast_precision_loss, reason = "a number that is rounded is rejected")]
    let (double, whole) = match value {
        Double(number) => return Ok(*number),
        Int(number) => (*number as f64, i128::from(*number)),
        Uint(number) => (*number as f64, i128::from(*number)),
        _ => return Err(FAILS),
    };
    if to_whole(double) == Some(whole) { Ok(double) } else { Err(FAILS) }
}

/// A number that has no digits.
fn write_special(number: f64) -> Option<String> {
    let sign = if number < 0.0 { "-" } else { "" };
    match number {
        _ if number.is_nan() => Some("NaN".to_owned()),
        _ if number.is_infinite() => Some(format!("{sign}Infinity")),
        _ => None,
    }
}

fn write_double(number: f64) -> String {
    write_special(number).unwrap_or_else(|| number.to_string())
}

/// Writes a sign and at least two digits of the exponent, as other implementations do.
fn write_scientific(number: f64, precision: usize) -> Result<String, EvaluationError> {
    let written = format!("{number:.precision$e}");
    let (digits, exponent) = written.split_once('e').ok_or(FAILS)?;
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    Ok(format!("{digits}e{sign}{exponent:0>2}"))
}
