//! Step fields. A field that no player reads is a mistake in the story.

use serde_json::{Map, Value};

/// The step fields that are not read yet.
#[derive(Clone)]
pub(crate) struct StepFields(Map<String, Value>);

impl StepFields {
    pub(crate) fn new(mut step: Map<String, Value>) -> Self {
        let fill = step.remove("fill").and_then(|fill| fill.as_u64());
        if let Some(fill) = fill {
            let text = "x".repeat(usize::try_from(fill).expect("a number of letters"));
            step.values_mut().for_each(|value| replace_text(value, &text));
        }
        Self(step)
    }

    /// Takes a field that may be absent.
    pub(crate) fn find(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    pub(crate) fn find_text(&mut self, name: &str) -> Option<String> {
        let text = |value: Value| value.as_str().expect("a string").to_owned();
        self.find(name).map(text)
    }

    pub(crate) fn text(&mut self, name: &str) -> String {
        self.find_text(name).unwrap_or_else(|| panic!("the step has no {name}"))
    }

    pub(crate) fn find_number(&mut self, name: &str) -> Option<u64> {
        self.find(name).map(|value| value.as_u64().expect("a number"))
    }

    pub(crate) fn find_seconds(&mut self, name: &str) -> Option<u32> {
        self.find_number(name).map(|seconds| u32::try_from(seconds).expect("seconds"))
    }

    pub(crate) fn flag(&mut self, name: &str) -> bool {
        self.find(name).is_some_and(|value| value.as_bool().expect("true or false"))
    }

    pub(crate) fn texts(&mut self, name: &str) -> Vec<String> {
        let list = self.find(name).unwrap_or_else(|| panic!("the step has no {name}"));
        serde_json::from_value(list).expect("a list of strings")
    }

    /// Panics if a field was not read.
    pub(crate) fn end(self) {
        assert!(self.0.is_empty(), "unknown fields: {:?}", self.0.keys().collect::<Vec<_>>());
    }

    /// The fields as they are, for another process.
    pub(crate) fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

fn replace_text(value: &mut Value, fill: &str) {
    match value {
        Value::String(text) => *text = text.replace("FILL", fill),
        Value::Array(list) => list.iter_mut().for_each(|part| replace_text(part, fill)),
        Value::Object(members) => members.values_mut().for_each(|part| replace_text(part, fill)),
        _ => {}
    }
}
