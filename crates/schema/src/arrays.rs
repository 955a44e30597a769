//! The keywords of arrays.

use crate::{
    UnusableSchema,
    place::ValuePlace,
    validator::{Application, Checked, Validator, ViolationList},
};
use serde_json::Value;
use std::collections::HashSet;

/// The elements' schemas: those at the start, and the one of all others.
pub(crate) type ElementSchemas<'s> = (&'s [Value], Option<&'s Value>);

/// The element schemas. Before draft 2020-12, `items` could be a list and `additionalItems` the schema for the others.
pub(crate) fn element_schemas<'s>(on: Application<'s, '_>) -> Result<ElementSchemas<'s>, UnusableSchema> {
    match (on.list_keyword("prefixItems")?, on.keyword("items")) {
        (Some(first), others) => Ok((first, others)),
        (None, Some(Value::Array(first))) => Ok((first, on.keyword("additionalItems"))),
        (None, others) => Ok((&[], others)),
    }
}

impl<'s> Validator<'s> {
    pub(crate) fn check_array(
        &mut self,
        on: Application<'s, '_>,
        elements: &[Value],
        violations: &mut ViolationList,
    ) -> Checked {
        if let Some(fewest) = on.size_keyword("minItems")?.filter(|fewest| elements.len() < *fewest) {
            violations.add(on.place, || format!("{} has less than {fewest} items", on.value));
        }
        if let Some(most) = on.size_keyword("maxItems")?.filter(|most| elements.len() > *most) {
            violations.add(on.place, || format!("{} has more than {most} items", on.value));
        }
        let (first, others) = element_schemas(on)?;
        for (index, element) in elements.iter().enumerate() {
            if let Some(schema) = first.get(index).or(others)
                && !violations.is_full()
            {
                self.apply(schema, element, ValuePlace::Element(&on.place, index), violations)?;
            }
        }
        if on.keyword("uniqueItems") == Some(&Value::Bool(true)) {
            self.check_unique(on, elements, violations)?;
        }
        self.check_contains(on, elements, violations)
    }

    fn check_unique(
        &mut self,
        on: Application<'s, '_>,
        elements: &[Value],
        violations: &mut ViolationList,
    ) -> Checked {
        let mut seen = HashSet::new();
        for element in elements {
            let mut text = String::new();
            self.write_canonical(element, &mut text)?;
            if !seen.insert(text) {
                violations.add(on.place, || format!("{} has non-unique elements", on.value));
                break;
            }
        }
        Ok(())
    }

    fn check_contains(
        &mut self,
        on: Application<'s, '_>,
        elements: &[Value],
        violations: &mut ViolationList,
    ) -> Checked {
        let Some(schema) = on.keyword("contains") else { return Ok(()) };
        let fewest = on.size_keyword("minContains")?.unwrap_or(1);
        let most = on.size_keyword("maxContains")?;
        let mut count = 0;
        for element in elements {
            count += usize::from(self.accepts(schema, element)?);
        }
        if count < fewest {
            violations.add(on.place, || {
                format!("{} has {count} elements that `contains` accepts; {fewest} are needed", on.value)
            });
        }
        if let Some(most) = most.filter(|most| count > *most) {
            violations.add(on.place, || {
                format!("{} has {count} elements that `contains` accepts; the limit is {most}", on.value)
            });
        }
        Ok(())
    }
}
