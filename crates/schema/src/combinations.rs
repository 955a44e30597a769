//! The keywords that apply other schemas to the same value.

use crate::{
    UnusableSchema,
    validator::{Application, Checked, Validator, ViolationList},
};
use serde_json::Value;

impl<'s> Validator<'s> {
    pub(crate) fn check_combinations(
        &mut self,
        on: Application<'s, '_>,
        violations: &mut ViolationList,
    ) -> Checked {
        if violations.is_full() {
            return Ok(());
        }
        if let Some(target) = self.resolve_reference(on)? {
            self.apply(target, on.value, on.place, violations)?;
        }
        for schema in on.list_keyword("allOf")?.into_iter().flatten() {
            if !violations.is_full() {
                self.apply(schema, on.value, on.place, violations)?;
            }
        }
        if let Some(schemas) = on.list_keyword("anyOf")?
            && self.count_accepting(schemas, on.value, 1)? == 0
        {
            let why = "is not valid under any of the schemas listed in the 'anyOf' keyword";
            violations.add(on.place, || format!("{} {why}", on.value));
        }
        if let Some(schemas) = on.list_keyword("oneOf")? {
            let why = match self.count_accepting(schemas, on.value, 2)? {
                0 => "is not valid under any of the schemas listed in the 'oneOf' keyword",
                1 => "",
                _ => "is valid under more than one of the schemas listed in the 'oneOf' keyword",
            };
            if !why.is_empty() {
                violations.add(on.place, || format!("{} {why}", on.value));
            }
        }
        if let Some(schema) = on.keyword("not")
            && self.accepts(schema, on.value)?
        {
            violations
                .add(on.place, || format!("{} is valid under the schema in the 'not' keyword", on.value));
        }
        match self.conditional_schema(on)? {
            Some(schema) => self.apply(schema, on.value, on.place, violations),
            None => Ok(()),
        }
    }

    /// The number of schemas that accept a value. Stops at `limit`.
    fn count_accepting(
        &mut self,
        schemas: &'s [Value],
        value: &Value,
        limit: usize,
    ) -> Result<usize, UnusableSchema> {
        let mut count = 0;
        for schema in schemas {
            count += usize::from(self.accepts(schema, value)?);
            if count == limit {
                break;
            }
        }
        Ok(count)
    }

    /// The schema of `then` or `else` that applies to the value.
    pub(crate) fn conditional_schema(
        &mut self,
        on: Application<'s, '_>,
    ) -> Result<Option<&'s Value>, UnusableSchema> {
        let Some(condition) = on.keyword("if") else { return Ok(None) };
        let holds = self.accepts(condition, on.value)?;
        Ok(on.keyword(if holds { "then" } else { "else" }))
    }

    /// The schema to which `$ref` refers.
    pub(crate) fn resolve_reference(
        &self,
        on: Application<'s, '_>,
    ) -> Result<Option<&'s Value>, UnusableSchema> {
        if on.keyword("$dynamicRef").or(on.keyword("$recursiveRef")).is_some() {
            return Err(UnusableSchema::DynamicReference);
        }
        let Some(reference) = on.keyword("$ref") else { return Ok(None) };
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let pointer = pointer.filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
        let pointer = pointer.filter(|pointer| !pointer.contains('%'));
        let target = pointer.and_then(|pointer| self.root.pointer(pointer));
        target.map(Some).ok_or(UnusableSchema::UnknownReference)
    }
}
