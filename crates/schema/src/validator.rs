//! Applies schemas to values.

use crate::{budget::StepBudget, error::UnusableSchema, patterns::PatternCache, place::ValuePlace};
use serde_json::{Map, Value};
use std::fmt;

/// A value part that a schema rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaViolation {
    /// The location of the part, as a JSON pointer.
    pub place: String,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for SchemaViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        if self.place.is_empty() { Ok(()) } else { write!(f, " at {:?}", self.place) }
    }
}

/// The first schema violations, at most `limit`.
pub fn find_violations(
    schema: &Value,
    value: &Value,
    limit: usize,
) -> Result<Vec<SchemaViolation>, UnusableSchema> {
    let mut violations = ViolationList { found: Vec::new(), limit, is_counted_only: false };
    let mut validator =
        Validator { root: schema, budget: StepBudget::new(), patterns: PatternCache::default() };
    validator.apply(schema, value, ValuePlace::Root, &mut violations)?;
    Ok(violations.found)
}

/// The violations that were found.
pub(crate) struct ViolationList {
    found: Vec<SchemaViolation>,
    limit: usize,
    /// Whether only their number matters, so that no messages are built.
    is_counted_only: bool,
}

impl ViolationList {
    pub(crate) const fn is_full(&self) -> bool {
        self.found.len() >= self.limit
    }

    pub(crate) fn add(&mut self, place: ValuePlace<'_>, reason: impl FnOnce() -> String) {
        if self.is_full() {
            return;
        }
        let violation = if self.is_counted_only {
            SchemaViolation { place: String::new(), reason: String::new() }
        } else {
            SchemaViolation { place: place.to_string(), reason: reason() }
        };
        self.found.push(violation);
    }
}

/// A step result.
pub(crate) type Checked = Result<(), UnusableSchema>;

/// A schema that is applied to a value.
#[derive(Clone, Copy)]
pub(crate) struct Application<'s, 'v> {
    pub(crate) schema: &'s Map<String, Value>,
    pub(crate) value: &'v Value,
    pub(crate) place: ValuePlace<'v>,
}

pub(crate) struct Validator<'s> {
    pub(crate) root: &'s Value,
    pub(crate) budget: StepBudget,
    pub(crate) patterns: PatternCache<'s>,
}

impl<'s> Validator<'s> {
    /// Applies a schema to a value.
    pub(crate) fn apply(
        &mut self,
        schema: &'s Value,
        value: &Value,
        place: ValuePlace<'_>,
        violations: &mut ViolationList,
    ) -> Checked {
        self.budget.enter()?;
        match schema {
            Value::Bool(true) => {}
            Value::Bool(false) => violations.add(place, || format!("{value} is not allowed")),
            Value::Object(schema) => self.apply_keywords(Application { schema, value, place }, violations)?,
            _ => {
                return Err(UnusableSchema::InvalidKeyword {
                    keyword: "schema",
                    expected: "an object or a bool",
                });
            }
        }
        self.budget.leave();
        Ok(())
    }

    fn apply_keywords(&mut self, on: Application<'s, '_>, violations: &mut ViolationList) -> Checked {
        self.check_type(on, violations)?;
        self.check_constants(on, violations)?;
        match on.value {
            Value::Number(number) => self.check_number(on, number, violations)?,
            Value::String(text) => self.check_text(on, text, violations)?,
            Value::Array(elements) => self.check_array(on, elements, violations)?,
            Value::Object(members) => self.check_object(on, members, violations)?,
            Value::Null | Value::Bool(_) => {}
        }
        self.check_combinations(on, violations)?;
        match on.value {
            Value::Array(elements) => self.check_unevaluated_elements(on, elements, violations),
            Value::Object(members) => self.check_unevaluated_members(on, members, violations),
            _ => Ok(()),
        }
    }

    /// Returns true if the pattern matches somewhere in the text.
    pub(crate) fn matches_pattern(&mut self, pattern: &'s str, text: &str) -> Result<bool, UnusableSchema> {
        self.budget.take_for_text(text)?;
        self.patterns.matches(pattern, text)
    }

    /// Returns true if the schema accepts the value.
    pub(crate) fn accepts(&mut self, schema: &'s Value, value: &Value) -> Result<bool, UnusableSchema> {
        let mut violations = ViolationList { found: Vec::new(), limit: 1, is_counted_only: true };
        self.apply(schema, value, ValuePlace::Root, &mut violations)?;
        Ok(violations.found.is_empty())
    }
}

impl<'s> Application<'s, '_> {
    /// A keyword value.
    pub(crate) fn keyword(&self, name: &str) -> Option<&'s Value> {
        self.schema.get(name)
    }

    /// A size keyword's value.
    pub(crate) fn size_keyword(&self, name: &'static str) -> Result<Option<usize>, UnusableSchema> {
        let invalid = UnusableSchema::InvalidKeyword { keyword: name, expected: "a whole number" };
        let Some(size) = self.keyword(name) else { return Ok(None) };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the guard admits whole numbers, and a larger one saturates"
        )]
        let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as usize);
        size.as_f64().and_then(whole).map(Some).ok_or(invalid)
    }

    /// Members of an object-valued keyword.
    pub(crate) fn object_keyword(
        &self,
        name: &'static str,
    ) -> Result<Option<&'s Map<String, Value>>, UnusableSchema> {
        match self.keyword(name) {
            None => Ok(None),
            Some(Value::Object(members)) => Ok(Some(members)),
            Some(_) => Err(UnusableSchema::InvalidKeyword { keyword: name, expected: "an object" }),
        }
    }

    /// Elements of a list-valued keyword.
    pub(crate) fn list_keyword(&self, name: &'static str) -> Result<Option<&'s [Value]>, UnusableSchema> {
        match self.keyword(name) {
            None => Ok(None),
            Some(Value::Array(elements)) => Ok(Some(elements)),
            Some(_) => Err(UnusableSchema::InvalidKeyword { keyword: name, expected: "a list" }),
        }
    }
}
