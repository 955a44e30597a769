//! `unevaluatedItems` and `unevaluatedProperties`: schemas for the parts that no other keyword examines.

use crate::{
    UnusableSchema,
    arrays::element_schemas,
    place::ValuePlace,
    validator::{Application, Checked, Validator, ViolationList},
};
use serde_json::{Map, Value};

/// An element or a member.
#[derive(Clone, Copy)]
enum ValuePart<'v> {
    Element(usize, &'v Value),
    Member(&'v str),
}

impl<'s> Validator<'s> {
    pub(crate) fn check_unevaluated_elements(
        &mut self,
        on: Application<'s, '_>,
        elements: &[Value],
        violations: &mut ViolationList,
    ) -> Checked {
        let Some(schema) = on.keyword("unevaluatedItems") else { return Ok(()) };
        for (index, element) in elements.iter().enumerate() {
            if !violations.is_full() && !self.examines(on, ValuePart::Element(index, element), true)? {
                self.apply(schema, element, ValuePlace::Element(&on.place, index), violations)?;
            }
        }
        Ok(())
    }

    pub(crate) fn check_unevaluated_members(
        &mut self,
        on: Application<'s, '_>,
        members: &Map<String, Value>,
        violations: &mut ViolationList,
    ) -> Checked {
        let Some(schema) = on.keyword("unevaluatedProperties") else { return Ok(()) };
        for (name, value) in members {
            if !violations.is_full() && !self.examines(on, ValuePart::Member(name), true)? {
                self.apply(schema, value, ValuePlace::Member(&on.place, name), violations)?;
            }
        }
        Ok(())
    }

    /// Returns true if a keyword in the schema, or in a schema that it applies to the same value, examines the part. At
    /// the outermost schema, the `unevaluated…` keyword itself does not count.
    fn examines(
        &mut self,
        on: Application<'s, '_>,
        part: ValuePart<'_>,
        is_outermost: bool,
    ) -> Result<bool, UnusableSchema> {
        if self.examines_itself(on, part, is_outermost)? {
            return Ok(true);
        }
        for schema in self.applied_schemas(on)? {
            let Value::Object(keywords) = schema else { continue };
            self.budget.enter()?;
            let found = self.examines(Application { schema: keywords, ..on }, part, false)?;
            self.budget.leave();
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn examines_itself(
        &mut self,
        on: Application<'s, '_>,
        part: ValuePart<'_>,
        is_outermost: bool,
    ) -> Result<bool, UnusableSchema> {
        match part {
            ValuePart::Element(index, element) => {
                let (first, others) = element_schemas(on)?;
                if index < first.len() || others.is_some() {
                    return Ok(true);
                }
                if !is_outermost && on.keyword("unevaluatedItems").is_some() {
                    return Ok(true);
                }
                on.keyword("contains").map_or(Ok(false), |schema| self.accepts(schema, element))
            }
            ValuePart::Member(name) => {
                let has_others = on.keyword("additionalProperties").is_some()
                    || (!is_outermost && on.keyword("unevaluatedProperties").is_some());
                Ok(has_others || !self.member_schemas(on, name)?.is_empty())
            }
        }
    }

    /// The schemas that apply to the same value and accept it.
    fn applied_schemas(&mut self, on: Application<'s, '_>) -> Result<Vec<&'s Value>, UnusableSchema> {
        let mut applied: Vec<_> = self.resolve_reference(on)?.into_iter().collect();
        for keyword in ["allOf", "anyOf", "oneOf"] {
            applied.extend(on.list_keyword(keyword)?.into_iter().flatten());
        }
        applied.extend(on.keyword("if"));
        applied.extend(self.conditional_schema(on)?);
        for keyword in ["dependentSchemas", "dependencies"] {
            let dependencies = on.object_keyword(keyword)?.into_iter().flatten();
            let is_present = |name: &String| on.value.get(name).is_some();
            applied.extend(dependencies.filter(|(name, _)| is_present(name)).map(|(_, schema)| schema));
        }
        let mut accepting = Vec::new();
        for schema in applied {
            if !schema.is_array() && self.accepts(schema, on.value)? {
                accepting.push(schema);
            }
        }
        Ok(accepting)
    }
}
