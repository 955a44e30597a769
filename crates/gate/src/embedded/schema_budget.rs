//! The budget of a JSON Schema: counts the steps of a validation before it runs. A schema comes from an agent, and one of
//! a few hundred bytes can take exponential time, memory or stack.

use serde_json::{Map, Value};
use std::collections::HashMap;

/// The longest schema, in bytes.
pub(super) const MAX_SCHEMA_BYTES: usize = 256 * 1024;
/// The most regular expressions in a schema. Each takes memory of its own.
const MAX_PATTERNS: usize = 100;
/// The most steps of a validation: one for each schema that is applied to each value.
const MAX_STEPS: u64 = 1_000_000;
/// How deep schemas may apply each other. The validator recurses over them.
const MAX_NESTING: usize = 200;
/// The most pairs of a schema and a value that are counted.
const MAX_PAIRS: usize = 200_000;
/// The bytes of a text that a regular expression examines in one step.
const BYTES_PER_STEP: usize = 64;

/// The keys whose schemas apply to the same value.
const SAME_VALUE: &[&str] = &["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// The keys with an object of schemas that apply to the same value.
const SAME_VALUE_BY_NAME: &[&str] = &["dependentSchemas", "dependencies"];
/// The keys whose schemas apply to each element or member.
const EACH_CHILD: &[&str] = &[
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The reason why the schema cannot be validated within the budget, if there is one.
pub(super) fn find_excess(schema: &Value, instance: &Value) -> Option<String> {
    let patterns = count_patterns(schema);
    if patterns > MAX_PATTERNS {
        return Some(format!("it has {patterns} patterns; the limit is {MAX_PATTERNS}"));
    }
    let mut counter = StepCounter { root: schema, steps: HashMap::new() };
    match counter.count(schema, instance, 0) {
        Ok(steps) if steps <= MAX_STEPS => None,
        Ok(_) => Some(format!("the check needs more than {MAX_STEPS} steps")),
        Err(why) => Some(why.to_owned()),
    }
}

fn count_patterns(schema: &Value) -> usize {
    match schema {
        Value::Array(values) => values.iter().map(count_patterns).sum(),
        Value::Object(members) => {
            let own = usize::from(members.get("pattern").is_some_and(Value::is_string));
            let named = members.get("patternProperties").and_then(Value::as_object).map_or(0, Map::len);
            own + named + members.values().map(count_patterns).sum::<usize>()
        }
        _ => 0,
    }
}

/// The steps of each pair of a schema and a value. The pairs are few even if the paths that lead to them are many.
struct StepCounter<'a> {
    root: &'a Value,
    steps: HashMap<(*const Value, *const Value), u64>,
}

impl<'a> StepCounter<'a> {
    fn count(&mut self, schema: &'a Value, value: &'a Value, nesting: usize) -> Result<u64, &'static str> {
        let Value::Object(keys) = schema else { return Ok(1) };
        let pair = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if let Some(steps) = self.steps.get(&pair) {
            return Ok(*steps);
        }
        if nesting >= MAX_NESTING {
            return Err("its schemas refer to each other too often or without end");
        }
        if self.steps.len() >= MAX_PAIRS {
            return Err("it has too many schemas for these arguments");
        }
        let mut steps = 1;
        if let (Some(_), Value::String(text)) = (keys.get("pattern"), value) {
            steps += u64::try_from(text.len() / BYTES_PER_STEP).unwrap_or(u64::MAX);
        }
        for (applied, to) in self.applied(keys, value)? {
            steps = self.count(applied, to, nesting + 1)?.saturating_add(steps);
        }
        self.steps.insert(pair, steps);
        Ok(steps)
    }

    /// The schemas that a schema applies, and the values to which it applies them.
    fn applied(
        &self,
        keys: &'a Map<String, Value>,
        value: &'a Value,
    ) -> Result<Vec<(&'a Value, &'a Value)>, &'static str> {
        let mut found = Vec::new();
        for (key, inner) in keys {
            match key.as_str() {
                "$ref" => found.push((self.resolve(inner)?, value)),
                "$dynamicRef" | "$recursiveRef" => return Err("it has references that depend on the call"),
                key if SAME_VALUE.contains(&key) => {
                    found.extend(schemas_in(inner).map(|schema| (schema, value)));
                }
                key if SAME_VALUE_BY_NAME.contains(&key) => {
                    let named = inner.as_object().into_iter().flat_map(Map::values);
                    found.extend(named.map(|schema| (schema, value)));
                }
                "properties" => {
                    let members = inner.as_object().into_iter().flatten();
                    found.extend(members.filter_map(|(name, schema)| Some((schema, value.get(name)?))));
                }
                "patternProperties" => {
                    for schema in inner.as_object().into_iter().flat_map(Map::values) {
                        found.extend(children_of(value).map(|child| (schema, child)));
                    }
                }
                key if EACH_CHILD.contains(&key) => {
                    for schema in schemas_in(inner) {
                        found.extend(children_of(value).map(|child| (schema, child)));
                    }
                }
                _ => {}
            }
        }
        Ok(found)
    }

    fn resolve(&self, reference: &Value) -> Result<&'a Value, &'static str> {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let pointer = pointer.filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
        let pointer = pointer.filter(|pointer| !pointer.contains('%'));
        let found = pointer.and_then(|pointer| self.root.pointer(pointer));
        found.ok_or("it refers to another resource, or to a schema that does not exist")
    }
}

fn schemas_in(inner: &Value) -> std::slice::Iter<'_, Value> {
    match inner {
        Value::Array(schemas) => schemas.iter(),
        schema => std::slice::from_ref(schema).iter(),
    }
}

fn children_of(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(values) => Box::new(values.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}
