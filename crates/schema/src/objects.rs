//! The keywords of objects.

use crate::{
    UnusableSchema,
    place::ValuePlace,
    validator::{Application, Checked, Validator, ViolationList},
};
use serde_json::{Map, Value};

impl<'s> Validator<'s> {
    pub(crate) fn check_object(
        &mut self,
        on: Application<'s, '_>,
        members: &Map<String, Value>,
        violations: &mut ViolationList,
    ) -> Checked {
        if let Some(fewest) = on.size_keyword("minProperties")?.filter(|fewest| members.len() < *fewest) {
            violations.add(on.place, || format!("{} has less than {fewest} properties", on.value));
        }
        if let Some(most) = on.size_keyword("maxProperties")?.filter(|most| members.len() > *most) {
            violations.add(on.place, || format!("{} has more than {most} properties", on.value));
        }
        // In draft 3, `required` was a bool, which newer drafts ignore.
        if let Some(Value::Array(required)) = on.keyword("required") {
            self.check_required(on, members, required, violations)?;
        }
        self.check_members(on, members, violations)?;
        if let Some(schema) = on.keyword("propertyNames") {
            for name in members.keys() {
                if !self.accepts(schema, &Value::from(name.as_str()))? {
                    violations.add(on.place, || format!("{name:?} is not allowed as the name of a property"));
                }
            }
        }
        self.check_dependencies(on, members, violations)
    }

    fn check_required(
        &mut self,
        on: Application<'s, '_>,
        members: &Map<String, Value>,
        required: &[Value],
        violations: &mut ViolationList,
    ) -> Checked {
        self.budget.take(required.len())?;
        for name in required {
            let invalid = UnusableSchema::InvalidKeyword { keyword: "required", expected: "a list of names" };
            let name = name.as_str().ok_or(invalid)?;
            if !members.contains_key(name) {
                violations.add(on.place, || format!("{name:?} is a required property"));
            }
        }
        Ok(())
    }

    /// `properties`, `patternProperties` and `additionalProperties`.
    fn check_members(
        &mut self,
        on: Application<'s, '_>,
        members: &Map<String, Value>,
        violations: &mut ViolationList,
    ) -> Checked {
        let mut unexpected = Vec::new();
        for (name, value) in members {
            if violations.is_full() {
                return Ok(());
            }
            let place = ValuePlace::Member(&on.place, name);
            let schemas = self.member_schemas(on, name)?;
            for schema in &schemas {
                self.apply(schema, value, place, violations)?;
            }
            match on.keyword("additionalProperties") {
                Some(Value::Bool(false)) if schemas.is_empty() => unexpected.push(name.as_str()),
                Some(schema) if schemas.is_empty() => self.apply(schema, value, place, violations)?,
                _ => {}
            }
        }
        if !unexpected.is_empty() {
            violations.add(on.place, || {
                let (names, verb) =
                    (unexpected.join("', '"), if unexpected.len() == 1 { "was" } else { "were" });
                format!("Additional properties are not allowed ('{names}' {verb} unexpected)")
            });
        }
        Ok(())
    }

    /// The schemas of `properties` and `patternProperties` for a name.
    pub(crate) fn member_schemas(
        &mut self,
        on: Application<'s, '_>,
        name: &str,
    ) -> Result<Vec<&'s Value>, UnusableSchema> {
        let named = on.object_keyword("properties")?.and_then(|properties| properties.get(name));
        let mut schemas: Vec<_> = named.into_iter().collect();
        for (pattern, schema) in on.object_keyword("patternProperties")?.into_iter().flatten() {
            if self.matches_pattern(pattern, name)? {
                schemas.push(schema);
            }
        }
        Ok(schemas)
    }

    /// `dependentRequired`, `dependentSchemas`, and `dependencies`, which was both before draft 2019-09.
    fn check_dependencies(
        &mut self,
        on: Application<'s, '_>,
        members: &Map<String, Value>,
        violations: &mut ViolationList,
    ) -> Checked {
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            for (name, dependency) in on.object_keyword(keyword)?.into_iter().flatten() {
                self.budget.take(1)?;
                if !members.contains_key(name) || violations.is_full() {
                    continue;
                }
                match dependency {
                    Value::Array(required) => self.check_required(on, members, required, violations)?,
                    schema => self.apply(schema, on.value, on.place, violations)?,
                }
            }
        }
        Ok(())
    }
}
