//! Operation outcomes, and their comparison with what a step expects.

use crate::fields::StepFields;
use countersign_api::{Call, ErrorCode, GateError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// An operation outcome, in the stories' words.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoryOutcome {
    pub(crate) state: Option<String>,
    pub(crate) arguments: Option<String>,
    pub(crate) arguments_hash: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) not_run: Option<String>,
    pub(crate) tool_error: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) calls: Option<Vec<String>>,
    pub(crate) results: Option<Vec<String>>,
    /// The call or the error as JSON. Absent if it has a number that `Value` cannot hold.
    pub(crate) shown: Option<Value>,
}

impl StoryOutcome {
    pub(crate) fn of_call(call: &Call) -> Self {
        Self {
            state: Some(call.state.to_string()),
            arguments: Some(call.arguments.as_str().to_owned()),
            arguments_hash: Some(call.arguments_hash.to_string()),
            note: call.response.as_ref().and_then(|response| response.note.clone()),
            shown: serde_json::to_value(call).ok(),
            ..Self::default()
        }
    }

    pub(crate) fn of_error(error: &GateError) -> Self {
        let facts = &error.facts;
        let shown = json!({
            "status": facts.status,
            "response": facts.response,
            "vote": facts.vote,
            "execution": facts.execution,
            "result": facts.result,
        });
        Self {
            error: Some(error.code().to_owned()),
            text: Some(error.to_string()),
            shown: Some(shown),
            ..Self::default()
        }
    }

    pub(crate) fn not_run(kind: &str, call: &Call) -> Self {
        Self { not_run: Some(kind.to_owned()), text: Some(call.ended_text()), ..Self::of_call(call) }
    }

    /// Compares with the expectations. A step without any must succeed.
    pub(crate) fn check(&self, expected: Option<Value>) {
        let expected: Map<String, Value> = expected
            .map_or_else(Map::new, |value| serde_json::from_value(value).expect("an object of expectations"));
        let mut expected = StepFields::new(expected);
        if expected.flag("any") {
            return expected.end();
        }
        let brief = format!("{:.600}", format!("{self:?}"));
        // The Rust client uses one code for all codes that it does not know.
        let code = expected.find_text("error").map(|code| ErrorCode::parse(&code).as_str().to_owned());
        assert_eq!(self.error, code, "{brief}");
        assert_eq!(self.not_run, expected.find_text("not_run"), "{brief}");
        let tool_error = expected.find("tool_error_has");
        assert_eq!(self.tool_error.is_some(), tool_error.is_some(), "{brief}");
        check_parts(self.tool_error.as_deref(), tool_error.as_ref());
        check_parts(self.text.as_deref(), expected.find("text_has").as_ref());
        check_parts(self.note.as_deref(), expected.find("note_has").as_ref());
        let texts = [
            ("state", &self.state),
            ("arguments", &self.arguments),
            ("arguments_hash", &self.arguments_hash),
            ("value", &self.value),
        ];
        for (name, found) in texts {
            if let Some(text) = expected.find_text(name) {
                assert!(found.as_ref() == Some(&text), "{name} is not {text:.300}: {brief}");
            }
        }
        for (name, found) in [("calls", &self.calls), ("results", &self.results)] {
            if let Some(list) = expected.find(name) {
                assert_eq!(json!(found), list, "{name}");
            }
        }
        for (path, value) in expected.find("shows").iter().filter_map(Value::as_object).flatten() {
            let shown = self.shown.as_ref().expect("an outcome that `Value` can hold");
            let pointer = format!("/{}", path.replace('.', "/"));
            assert_eq!(shown.pointer(&pointer).unwrap_or(&Value::Null), value, "{path}");
        }
        expected.end();
    }
}

fn check_parts(text: Option<&str>, parts: Option<&Value>) {
    for part in parts.into_iter().filter_map(Value::as_array).flatten() {
        let part = part.as_str().expect("a string");
        assert!(text.is_some_and(|text| text.contains(part)), "{text:?} does not contain {part:?}");
    }
}
