//! The rules that the providers' APIs have for input, from their documentation, as checks of model views.
//!
//! - OpenAI, reference of Chat Completions and Responses: a result directly after each call, names `[a-zA-Z0-9_-]{1,64}`,
//!   ids of at most 40 and 64 letters, no id twice.
//! - Anthropic, reference of Messages and the guide to tool use: roles alternate, the first message is the user's, each
//!   `tool_use` is answered at the beginning of the next message, names `[a-zA-Z0-9_-]{1,128}`, ids `[a-zA-Z0-9_-]+` and
//!   unique, no blank text, and no blank at the end of the assistant's last words.
//! - Google, guide to function calling and reference of `FunctionDeclaration`: roles alternate, the first content is the
//!   user's, as many responses as calls directly after them.
//! - AG-UI, schemas of `@ag-ui/core`: text of all but users and activities is a string.
//! - AI SDK, `ModelMessage`: a provider's results stand in the assistant's message.

use super::*;
use std::collections::BTreeSet;

/// The faults of model input in this format.
pub(super) fn faults(format: MessageFormat, messages: &[Value]) -> Vec<String> {
    let mut check = InputCheck::default();
    match format {
        MessageFormat::OpenAi => check.chat(messages, "tool_calls", "tool_call_id", Some(40)),
        MessageFormat::AgUi => {
            check.chat(messages, "toolCalls", "toolCallId", None);
            check.texts(messages);
        }
        MessageFormat::OpenAiResponses => check.items(messages, "call_id", "function_call_output"),
        MessageFormat::OpenAiAgents => check.items(messages, "callId", "function_call_result"),
        MessageFormat::Anthropic => check.anthropic(messages),
        MessageFormat::Google => check.google(messages),
        MessageFormat::AiSdk => check.ai_sdk(messages),
        _ => {}
    }
    check.faults
}

#[derive(Default)]
struct InputCheck {
    faults: Vec<String>,
    ids: BTreeSet<String>,
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn fits(name: &str, most: usize, marks: &str) -> bool {
    let known =
        |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter) || marks.contains(letter);
    !name.is_empty() && name.len() <= most && name.chars().all(known)
}

impl InputCheck {
    fn expect(&mut self, holds: bool, rule: &str, found: &Value) {
        if !holds {
            self.faults.push(format!("{rule}: {found}"));
        }
    }

    fn unique(&mut self, id: &str, found: &Value) {
        let is_new = self.ids.insert(id.to_owned());
        self.expect(is_new, "an id is used once", found);
    }

    fn alternate(&mut self, messages: &[Value], list_name: &str) {
        for (index, message) in messages.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| text(&messages[before], "role"));
            self.expect(before != Some(text(message, "role")), "roles alternate", message);
            self.expect(index > 0 || text(message, "role") == "user", "the user begins", message);
            self.expect(!list(message, list_name).is_empty(), "a message has content", message);
        }
    }

    fn chat(&mut self, messages: &[Value], calls: &str, id: &str, most: Option<usize>) {
        let mut open = BTreeSet::new();
        for message in messages {
            if text(message, "role") == "tool" {
                let answers = open.remove(text(message, id));
                self.expect(answers, "a result follows its call", message);
                continue;
            }
            self.expect(open.is_empty(), "each call has a result before the next message", message);
            for call in list(message, calls) {
                let call_id = text(call, "id");
                self.unique(call_id, call);
                open.insert(call_id);
                if let Some(most) = most {
                    self.expect(!call_id.is_empty() && call_id.len() <= most, "the id fits", call);
                    self.expect(fits(text(&call["function"], "name"), 64, ""), "the name fits", call);
                }
            }
        }
        self.expect(open.is_empty(), "each call has a result", &json!(messages));
    }

    fn texts(&mut self, messages: &[Value]) {
        for message in messages {
            let is_list = message["content"].is_array() && text(message, "role") != "user";
            self.expect(!is_list, "content is a string", message);
        }
    }

    fn items(&mut self, items: &[Value], id: &str, output: &str) {
        let mut open = BTreeSet::new();
        for item in items {
            match text(item, "type") {
                "function_call" => {
                    self.unique(text(item, id), item);
                    open.insert(text(item, id));
                    self.expect(fits(text(item, "name"), 64, ""), "the name fits", item);
                    self.expect(fits(text(item, id), 64, ""), "the id fits", item);
                }
                kind if kind == output => {
                    let answers = open.remove(text(item, id));
                    self.expect(answers, "an output follows its call", item);
                }
                _ => {}
            }
        }
        self.expect(open.is_empty(), "each call has an output", &json!(items));
    }

    fn anthropic(&mut self, messages: &[Value]) {
        self.alternate(messages, "content");
        let mut open: Vec<&str> = Vec::new();
        for message in messages {
            let content = list(message, "content");
            let results = content.iter().take_while(|block| text(block, "type") == "tool_result");
            let results: Vec<_> = results.map(|block| text(block, "tool_use_id")).collect();
            let (wanted, given): (BTreeSet<_>, BTreeSet<_>) =
                (open.iter().collect(), results.iter().collect());
            self.expect(
                wanted == given,
                "results answer the calls before them, first in the message",
                message,
            );
            open.clear();
            for block in content {
                match text(block, "type") {
                    "tool_use" => {
                        self.unique(text(block, "id"), block);
                        open.push(text(block, "id"));
                        self.expect(fits(text(block, "id"), usize::MAX, ""), "the id fits", block);
                        self.expect(fits(text(block, "name"), 128, ""), "the name fits", block);
                        self.expect(block["input"].is_object(), "input is an object", block);
                    }
                    "text" => self.expect(!text(block, "text").trim().is_empty(), "text is not blank", block),
                    _ => {}
                }
            }
        }
        self.expect(open.is_empty(), "each call has a result", &json!(messages));
        let last = messages.last().filter(|last| text(last, "role") == "assistant");
        let words = last.and_then(|last| list(last, "content").last()).map(|block| text(block, "text"));
        let is_trimmed = words.is_none_or(|words| words == words.trim_end());
        self.expect(is_trimmed, "the last words end without a blank", &json!(words));
    }

    fn google(&mut self, messages: &[Value]) {
        self.alternate(messages, "parts");
        let mut open: Vec<(&Value, &Value)> = Vec::new();
        let named = |call: &'static str, message| {
            let parts = list(message, "parts").iter().map(move |part| &part[call]);
            parts.filter(|called| called.is_object()).map(|called| (&called["id"], &called["name"]))
        };
        for message in messages {
            let responses: Vec<_> = named("functionResponse", message).collect();
            self.expect(responses == open, "a response follows each call", message);
            open = named("functionCall", message).collect();
            for (_, name) in &open {
                let name = name.as_str().unwrap_or_default();
                let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
                self.expect(begins && fits(name, 64, "."), "the name fits", message);
            }
        }
        self.expect(open.is_empty(), "each call has a response", &json!(messages));
    }

    fn ai_sdk(&mut self, messages: &[Value]) {
        let mut open = BTreeSet::new();
        for message in messages {
            let is_tool = text(message, "role") == "tool";
            self.expect(
                is_tool || open.is_empty(),
                "each call has a result before the next message",
                message,
            );
            let mut hosted = BTreeSet::new();
            for part in list(message, "content") {
                let id = text(part, "toolCallId");
                match (text(part, "type"), part["providerExecuted"] == true) {
                    ("tool-call", true) => {
                        hosted.insert(id);
                    }
                    ("tool-call", false) => {
                        self.unique(id, part);
                        open.insert(id);
                    }
                    ("tool-result", _) => {
                        let answers = if is_tool { open.remove(id) } else { hosted.remove(id) };
                        self.expect(answers, "a result stands where its call was run", message);
                    }
                    _ => {}
                }
            }
            self.expect(hosted.is_empty(), "a provider's results stand beside their calls", message);
        }
        self.expect(open.is_empty(), "each call has a result", &json!(messages));
    }
}

/// The golden conversations of the formats, which the SDKs accept.
fn golden() -> Vec<(MessageFormat, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/messages/golden/");
    let named = MessageFormat::ALL.iter().map(|format| (format, format!("{folder}{}.json", format.as_str())));
    let read = named.filter_map(|(format, path)| Some((*format, std::fs::read_to_string(path).ok()?)));
    read.map(|(format, text)| (format, serde_json::from_str(&text).expect("JSON"))).collect()
}

/// Conversations that some API refuses if they are copied.
fn unusual() -> Vec<(MessageFormat, Value)> {
    let openai_call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
    let openai_turn = |id: &str, name: &str| json!({"role": "assistant", "content": null, "tool_calls": [openai_call(id, name)]});
    let openai_result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "done"});
    let ui_tool = |id: &str| json!({"type": "tool-read", "toolCallId": id, "state": "output-available", "input": {}, "output": id});
    let gemini_call = |n: u8| json!({"functionCall": {"name": "read", "args": {"n": n}}});
    let gemini_response = |n: u8| json!({"functionResponse": {"name": "read", "response": {"output": n}}});
    vec![
        (
            MessageFormat::Google,
            json!([
                {"role": "user", "parts": [{"text": "Read both."}]},
                {"role": "model", "parts": [gemini_call(1), gemini_call(2)]},
                {"role": "user", "parts": [gemini_response(1), gemini_response(2)]},
                {"role": "model", "parts": [gemini_call(3)]},
                {"role": "user", "parts": [gemini_response(3)]}
            ]),
        ),
        (
            MessageFormat::OpenAi,
            json!([
                {"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Go."},
                openai_turn("call_0", "files.read"), openai_result("call_0"),
                openai_turn("call_0", "1st/tool"), openai_result("call_0"),
                openai_turn("call:3 of a turn with a very long id, as some programs make them", &"n".repeat(90)),
                openai_result("call:3 of a turn with a very long id, as some programs make them"),
                {"role": "assistant", "content": "Done. \n"}
            ]),
        ),
        (
            MessageFormat::AiSdkUi,
            json!([
                {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Go."}]},
                {"id": "m2", "role": "assistant", "parts": [
                    {"type": "step-start"}, {"type": "text", "text": "I look."}, ui_tool("c1"), ui_tool("c2"),
                    {"type": "step-start"}, {"type": "tool-search", "toolCallId": "s1", "state": "output-available",
                        "input": {}, "output": [1], "providerExecuted": true}, {"type": "text", "text": "And I read."}, ui_tool("c3"),
                    {"type": "step-start"}, {"type": "text", "text": "It is done."}
                ]}
            ]),
        ),
        (
            MessageFormat::AiSdk,
            json!([
                {"role": "user", "content": "Go."},
                {"role": "assistant", "content": [
                    {"type": "tool-call", "toolCallId": "s1", "toolName": "search", "input": {}, "providerExecuted": true},
                    {"type": "tool-result", "toolCallId": "s1", "toolName": "search", "output": {"type": "json", "value": [1]}},
                    {"type": "tool-call", "toolCallId": "s2", "toolName": "search", "input": {}, "providerExecuted": true},
                    {"type": "text", "text": "It is done."}
                ]}
            ]),
        ),
        (
            MessageFormat::Anthropic,
            json!([
                {"role": "user", "content": "Go."},
                {"role": "assistant", "content": [{"type": "text", "text": "First."}, {"type": "text", "text": "Second."},
                    {"type": "tool_use", "id": "t1", "name": "read", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}, {"type": "text", "text": "And?"}]}
            ]),
        ),
    ]
}

fn model_input(from: MessageFormat, messages: &Value, to: MessageFormat) -> Vec<Value> {
    let read = super::views::conversation(from, messages);
    let written = read.for_model(to, &LoggedCalls::new());
    written.messages.iter().map(|message| message.read().expect("valid")).collect()
}

#[test]
fn every_conversation_is_input_that_providers_accept() {
    let golden = golden();
    assert!(golden.len() >= 12, "one for each format");
    let mut found = Vec::new();
    for (from, messages) in golden.iter().chain(&unusual()) {
        for to in MessageFormat::ALL.iter().filter(|to| is_for_models(**to)) {
            let faults = faults(*to, &model_input(*from, messages, *to));
            found.extend(faults.iter().map(|fault| format!("{} to {}: {fault}", from.as_str(), to.as_str())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn checks_find_what_providers_refuse() {
    for (from, messages) in unusual().iter().filter(|(from, _)| *from == MessageFormat::OpenAi) {
        let copied = messages.as_array().expect("a list");
        assert!(
            faults(*from, copied).len() >= 4,
            "repeated ids, long ids, names: {:?}",
            faults(*from, copied)
        );
    }
    let opening = json!([{"role": "assistant", "content": [{"type": "text", "text": "Hi "}]}]);
    assert_eq!(faults(MessageFormat::Anthropic, opening.as_array().expect("a list")).len(), 2);
}

/// What each message of a view is: its role, and what stands in it.
fn outline(messages: &[Value]) -> String {
    let part = |part: &Value| match part["type"].as_str() {
        Some("text") => format!("text {}", part["text"]),
        kind => format!("{} {}", kind.unwrap_or_default(), text(part, "toolCallId")),
    };
    let line = |message: &Value| {
        let parts: Vec<_> = list(message, "content").iter().map(part).collect();
        format!("{}: {}", text(message, "role"), parts.join(", "))
    };
    messages.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn results_come_between_the_steps() {
    let (from, messages) = &unusual()[2];
    let wanted = "user: text \"Go.\"
assistant: text \"I look.\", tool-call c1, tool-call c2
tool: tool-result c1, tool-result c2
assistant: tool-call s1, tool-result s1, text \"And I read.\", tool-call c3
tool: tool-result c3
assistant: text \"It is done.\"";
    assert_eq!(outline(&model_input(*from, messages, MessageFormat::AiSdk)), wanted);
    let client = super::views::conversation(*from, messages).for_client(
        MessageFormat::AiSdk,
        &LoggedCalls::new(),
        &[],
    );
    let client: Vec<Value> = client.messages.iter().map(|message| message.read().expect("valid")).collect();
    assert_eq!(outline(&client), wanted);
    let own = model_input(*from, messages, *from);
    assert_eq!(Value::from(own), *messages, "the format itself has several steps in a message");
}

#[test]
fn replaced_ids_are_understood_in_results() {
    let call = json!({"functionCall": {"id": "a/b", "name": "files.read:1", "args": {}}});
    let mut read = super::views::conversation(
        MessageFormat::Google,
        &json!([{"parts": [{"text": "Go."}]}, {"role": "model", "parts": [call]}]),
    );
    let view = read.clone().for_model(MessageFormat::Anthropic, &LoggedCalls::new());
    let turn: Value = view.messages[1].read().expect("valid");
    let (id, name) = (&turn["content"][0]["id"], &turn["content"][0]["name"]);
    assert!(id != "a/b" && name != "files.read:1" && view.unfinished[0].id == "a/b", "{turn}");
    let result =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "found"}]});
    read.add(2, MessageFormat::Anthropic, &Json::encode(&result).expect("valid"));
    let view = read.for_model(MessageFormat::Google, &LoggedCalls::new());
    let answered: Value = view.messages[2].read().expect("valid");
    assert_eq!(answered["parts"][0]["functionResponse"]["id"], "a/b");
    assert_eq!((view.unfinished.len(), view.left_out.len()), (0, 0));
}
