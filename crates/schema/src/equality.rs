//! `type`, `const` and `enum`, and the equality of JSON values.

use crate::{
    UnusableSchema,
    validator::{Application, Checked, Validator, ViolationList},
};
use serde_json::{Number, Value};
use std::fmt::Write;

/// The types' names.
const TYPES: &[&str] = &["null", "boolean", "object", "array", "number", "string", "integer"];

impl<'s> Validator<'s> {
    pub(crate) fn check_type(&mut self, on: Application<'s, '_>, violations: &mut ViolationList) -> Checked {
        let invalid = UnusableSchema::InvalidKeyword {
            keyword: "type",
            expected: "the name of a type, or a list of names",
        };
        let names = match on.keyword("type") {
            None => return Ok(()),
            Some(Value::Array(names)) => names.as_slice(),
            Some(name) => std::slice::from_ref(name),
        };
        self.budget.take(names.len())?;
        let names: Option<Vec<_>> = names.iter().map(Value::as_str).collect();
        let names = names.filter(|names| names.iter().all(|name| TYPES.contains(name))).ok_or(invalid)?;
        if !names.iter().any(|name| has_type(on.value, name)) {
            violations.add(on.place, || match names.as_slice() {
                [name] => format!("{} is not of type \"{name}\"", on.value),
                _ => format!("{} is not of types \"{}\"", on.value, names.join("\", \"")),
            });
        }
        Ok(())
    }

    pub(crate) fn check_constants(
        &mut self,
        on: Application<'s, '_>,
        violations: &mut ViolationList,
    ) -> Checked {
        if let Some(constant) = on.keyword("const")
            && !self.is_equal(constant, on.value)?
        {
            violations.add(on.place, || format!("{constant} was expected"));
        }
        let Some(choices) = on.list_keyword("enum")? else { return Ok(()) };
        for choice in choices {
            if self.is_equal(choice, on.value)? {
                return Ok(());
            }
        }
        violations.add(on.place, || {
            let choices: Vec<_> = choices.iter().map(Value::to_string).collect();
            format!("{} is not one of {}", on.value, choices.join(", "))
        });
        Ok(())
    }

    /// Returns true if two values are equal. The order of keys does not matter, and 1.0 equals 1.
    pub(crate) fn is_equal(&mut self, left: &Value, right: &Value) -> Result<bool, UnusableSchema> {
        self.budget.take(1)?;
        Ok(match (left, right) {
            (Value::Number(left), Value::Number(right)) => number_text(left) == number_text(right),
            (Value::String(left), Value::String(right)) => left == right,
            (Value::Array(left), Value::Array(right)) => {
                if left.len() != right.len() {
                    return Ok(false);
                }
                for (left, right) in left.iter().zip(right) {
                    if !self.is_equal(left, right)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Value::Object(left), Value::Object(right)) => {
                if left.len() != right.len() {
                    return Ok(false);
                }
                for (name, left) in left {
                    let Some(right) = right.get(name) else { return Ok(false) };
                    if !self.is_equal(left, right)? {
                        return Ok(false);
                    }
                }
                true
            }
            (left, right) => left == right,
        })
    }

    /// Writes a value so that equal values give the same string.
    pub(crate) fn write_canonical(&mut self, value: &Value, text: &mut String) -> Checked {
        self.budget.take(1)?;
        match value {
            Value::Number(number) => text.push_str(&number_text(number)),
            Value::Array(elements) => {
                text.push('[');
                for element in elements {
                    self.write_canonical(element, text)?;
                    text.push(',');
                }
                text.push(']');
            }
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_unstable_by_key(|(name, _)| *name);
                text.push('{');
                for (name, value) in members {
                    // Writing to a string does not fail.
                    let _ = write!(text, "{name:?}:");
                    self.write_canonical(value, text)?;
                    text.push(',');
                }
                text.push('}');
            }
            Value::String(plain) => {
                self.budget.take_for_text(plain)?;
                let _ = write!(text, "{plain:?}");
            }
            Value::Null | Value::Bool(_) => {
                let _ = write!(text, "{value}");
            }
        }
        Ok(())
    }
}

/// A string that is the same for equal numbers.
fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(double) if number.is_f64() && double.fract() == 0.0 => format!("{double:.0}"),
        _ => number.to_string(),
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        Value::Number(number) => name == "number" || (name == "integer" && is_integer(number)),
    }
}

/// 1.0 is an integer too.
fn is_integer(number: &Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|double| double.fract() == 0.0)
}
