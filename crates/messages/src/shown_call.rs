//! What JSON shows of the log's calls: tools and arguments beside a call id, in any form. A page may draw any
//! of it, so nothing here depends on the format.

use crate::{
    LoggedCall,
    request_names::{CLIENT_PREFIX, REQUEST_APPROVAL, REQUEST_PREFIX},
};
use countersign_events::json::JsonTree;
use std::collections::{BTreeMap, HashSet};

/// The members that hold a call id or a request id.
const ID_KEYS: &[&str] = &[
    "id",
    "toolCallId",
    "tool_call_id",
    "callId",
    "call_id",
    "tool_use_id",
    "toolUseId",
    "approvalId",
    "approval_request_id",
    "interruptId",
];
/// Those of them that hold nothing else.
pub(crate) const CALL_ID_KEYS: &[&str] =
    &["toolCallId", "tool_call_id", "callId", "call_id", "tool_use_id", "toolUseId"];
/// The members that hold a tool name.
pub(crate) const NAME_KEYS: &[&str] =
    &["name", "toolName", "tool_name", "tool", "fn", "action", "functionName", "function_name"];
/// The members that hold arguments.
pub(crate) const ARGUMENT_KEYS: &[&str] = &[
    "arguments",
    "args",
    "input",
    "kwargs",
    "toolArgs",
    "tool_args",
    "toolInput",
    "tool_input",
    "parameters",
    "rawInput",
];
/// The members whose objects belong to the call around them.
const CONTAINERS: &[&str] = &[
    "function",
    "custom",
    "function_call",
    "functionCall",
    "metadata",
    "value",
    "action_request",
    "actionRequest",
    "spec",
    "rawItem",
    "raw_item",
    "toolCall",
    "tool_call",
    "originalToolCall",
];

/// The tools and the arguments that are shown for one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ShownCall {
    /// The ids of calls that stand beside a decision.
    ids: Vec<String>,
    names: Vec<String>,
    arguments: Vec<JsonTree>,
}

/// What a shown call has that the log's call has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallDifference {
    /// Another call.
    Id(String),
    /// Another tool.
    Tool(String),
    /// Other arguments.
    Arguments(JsonTree),
}

impl ShownCall {
    pub(crate) fn new(name: &str, arguments: JsonTree) -> Self {
        Self { ids: Vec::new(), names: vec![name.to_owned()], arguments: vec![arguments] }
    }

    /// What an object beside a decision shows of the call.
    pub(crate) fn beside_decision(object: &JsonTree) -> Self {
        let mut shown = Self::default();
        shown.read(object);
        shown.ids.extend(CALL_ID_KEYS.iter().filter_map(|key| object.text_of(key)).map(str::to_owned));
        for inner in CONTAINERS.iter().filter_map(|key| object.get(key)) {
            shown.read(inner);
            let ids = CALL_ID_KEYS.iter().chain(&["id"]).filter_map(|key| inner.text_of(key));
            shown.ids.extend(ids.map(str::to_owned));
        }
        shown
    }

    /// The first difference from the log's call; `None` if everything shown is as the log has it.
    pub(crate) fn difference(&self, logged: &LoggedCall) -> Option<CallDifference> {
        let id = self.ids.iter().find(|id| *id != logged.call.id.as_str());
        let id = id.map(|id| CallDifference::Id(id.clone()));
        let name = self.names.iter().find(|name| *name != logged.call.name.as_str());
        let tool = name.map(|name| CallDifference::Tool(name.clone()));
        let arguments = || self.arguments.iter().find(|shown| !logged.has_arguments(shown));
        id.or(tool).or_else(|| arguments().map(|shown| CallDifference::Arguments(shown.clone())))
    }

    /// Whether the arguments that run are shown.
    pub(crate) fn has_current_arguments(&self, logged: &LoggedCall) -> bool {
        self.arguments.iter().any(|shown| logged.runs_with(shown))
    }

    /// Reads the members of an object, and of the objects in it that belong to the same call.
    fn read(&mut self, object: &JsonTree) {
        let JsonTree::Object(members) = object else { return };
        for (key, value) in members {
            let key = key.as_str();
            let name = value.as_text().filter(|_| NAME_KEYS.contains(&key));
            self.names.extend(name.filter(|name| !name.starts_with(CLIENT_PREFIX)).map(str::to_owned));
            if ARGUMENT_KEYS.contains(&key) {
                self.arguments.extend(read_arguments(value));
            }
        }
    }
}

/// The arguments in a member: an object, or its text. `None` where a format has no arguments.
fn read_arguments(value: &JsonTree) -> Option<JsonTree> {
    match value {
        JsonTree::Null => None,
        JsonTree::Text(text) if text.trim().is_empty() => Some(JsonTree::empty_object()),
        JsonTree::Text(text) => Some(JsonTree::parse_text(text).unwrap_or_else(|| value.clone())),
        other => Some(other.clone()),
    }
}

/// Finds what `tree` shows of the calls with these ids.
pub(crate) fn find_shown(tree: &JsonTree, known: &HashSet<&str>) -> BTreeMap<String, ShownCall> {
    let mut finder = ShownFinder { known, found: BTreeMap::new() };
    if !known.is_empty() {
        finder.visit(tree, None);
    }
    finder.found
}

struct ShownFinder<'a> {
    known: &'a HashSet<&'a str>,
    found: BTreeMap<String, ShownCall>,
}

impl ShownFinder<'_> {
    /// Visits a value inside of the call `around`, if it is inside of one.
    fn visit(&mut self, tree: &JsonTree, around: Option<&str>) {
        match tree {
            JsonTree::List(list) => list.iter().for_each(|value| self.visit(value, around)),
            JsonTree::Object(members) => self.visit_object(tree, members, around),
            _ => {}
        }
    }

    fn visit_object(&mut self, object: &JsonTree, members: &[(String, JsonTree)], around: Option<&str>) {
        if let Some(batch) = object.text_of("id").and_then(batch_ids) {
            return self.visit_batch(object, &batch);
        }
        let own = ID_KEYS.iter().filter_map(|key| object.text_of(key)).find_map(|id| self.call_of(id));
        let call = own.as_deref().or(around);
        let is_request = NAME_KEYS.iter().any(|key| object.text_of(key) == Some(REQUEST_APPROVAL));
        if let Some(call) = call.filter(|_| !is_request) {
            let mut shown = ShownCall::default();
            shown.read(object);
            if shown != ShownCall::default() {
                let known = self.found.entry(call.to_owned()).or_default();
                known.names.append(&mut shown.names);
                known.arguments.append(&mut shown.arguments);
            }
        }
        for (key, value) in members {
            if is_request && ARGUMENT_KEYS.contains(&key.as_str()) {
                // A request that calls a client tool shows the call in its own arguments.
                let asked = read_arguments(value);
                self.visit(
                    asked.as_ref().and_then(|asked| asked.get("originalToolCall")).unwrap_or(&JsonTree::Null),
                    call,
                );
            } else if !ARGUMENT_KEYS.contains(&key.as_str()) || call.is_none() {
                self.visit(value, call.filter(|_| CONTAINERS.contains(&key.as_str())));
            }
        }
    }

    /// Visits a batch interrupt, whose id contains its call ids in action order.
    fn visit_batch(&mut self, interrupt: &JsonTree, ids: &[String]) {
        let actions =
            interrupt.get("value").map(|value| value.list_of("action_requests")).unwrap_or_default();
        for (action, id) in actions.iter().zip(ids) {
            let call = self.call_of(id);
            self.visit(action, call.as_deref());
        }
    }

    /// The call that an id names: its own, or that of its request.
    fn call_of(&self, id: &str) -> Option<String> {
        let of_request = || id.strip_prefix(REQUEST_PREFIX).filter(|id| self.known.contains(id));
        self.known.contains(id).then_some(id).or_else(of_request).map(str::to_owned)
    }
}

/// The call ids in a batch id.
pub(crate) fn batch_ids(id: &str) -> Option<Vec<String>> {
    let list = id.strip_prefix(REQUEST_PREFIX).filter(|ids| ids.starts_with('['))?;
    let list = JsonTree::parse_text(list)?;
    Some(list.as_list()?.iter().filter_map(JsonTree::as_text).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> BTreeMap<String, ShownCall> {
        find_shown(&JsonTree::parse_text(text).expect("valid"), &HashSet::from(["c1", "c2"]))
    }

    #[test]
    fn calls_are_found_in_every_form() {
        let shown = ShownCall::new("ls", JsonTree::parse_text(r#"{"a":1}"#).expect("valid"));
        for text in [
            r#"{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{\"a\":1}"}}]}"#,
            r#"{"content":[{"type":"tool_use","id":"c1","name":"ls","input":{"a":1}}]}"#,
            r#"{"parts":[{"functionCall":{"id":"c1","name":"ls","args":{"a":1}}}]}"#,
            r#"{"type":"mcp_approval_request","id":"approval_c1","name":"ls","arguments":"{\"a\":1}"}"#,
            r#"{"type":"tool_approval_item","rawItem":{"callId":"c1","name":"ls","arguments":"{\"a\":1}"},"agent":{"name":"bot"}}"#,
            r#"{"call_id":"c1","spec":{"fn":"ls","kwargs":{"a":1}}}"#,
            r#"{"__interrupt__":[{"id":"approval_[\"c1\"]","value":{"action_requests":[{"name":"ls","args":{"a":1}}]}}]}"#,
            r#"{"__interrupt__":[{"id":"approval_c1","value":[{"action_request":{"action":"ls","args":{"a":1}}}]}]}"#,
            r#"{"outcome":{"interrupts":[{"id":"approval_c1","toolCallId":"c1","metadata":{"name":"ls","arguments":{"a":1}}}]}}"#,
            r#"{"additional_kwargs":{"tool_calls":[{"id":"c1","function":{"name":"ls","arguments":"{\"a\":1}"}}]}}"#,
            r#"{"id":"approval_c1","function":{"name":"client.requestApproval","arguments":"{\"originalToolCall\":{\"id\":\"c1\",\"name\":\"ls\",\"args\":{\"a\":1}}}"}}"#,
        ] {
            assert_eq!(found(text), BTreeMap::from([("c1".to_owned(), shown.clone())]), "{text}");
        }
    }

    #[test]
    fn other_objects_show_no_call() {
        for text in [
            r#"{"role":"tool","tool_call_id":"c1","content":[{"name":"a.txt"}]}"#,
            r#"{"toolCallId":"c1","output":{"name":"a.txt","args":{}}}"#,
            r#"{"id":"c9","name":"ls","input":{}}"#,
            r#"{"id":"approval_c1","function":{"name":"client.requestApproval","arguments":"{}"}}"#,
        ] {
            assert_eq!(found(text), BTreeMap::new(), "{text}");
        }
    }
}
