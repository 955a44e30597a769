//! Messages of each format, and malformed ones.

mod conversations;
mod images;
mod provider_checks;
mod provider_rules;
mod shown_is_run;
mod views;

use super::*;
use countersign_events::EventType;
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(format: MessageFormat, message: &str) -> Result<ReadMessage, String> {
    let message = Json::parse(message).expect("valid JSON");
    read_message(format, &message).map_err(|why| why.to_string())
}

fn message(kind: EventType, text: &str, proposes: &[&str], reports: &[&str]) -> ReadMessage {
    let owned = |ids: &[&str]| ids.iter().map(ToString::to_string).collect();
    ReadMessage {
        kind,
        text: text.to_owned(),
        proposes: owned(proposes),
        reports: owned(reports),
        decides: false,
    }
}

#[test]
fn messages_of_openai_are_read() {
    let read = |text| read(MessageFormat::OpenAi, text);
    assert_eq!(
        read(r#"{"role":"developer","content":"Be brief."}"#),
        Ok(message(EventType::SystemPrompt, "Be brief.", &[], &[]))
    );
    assert_eq!(
        read(
            r#"{"role":"user","content":[{"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"here"}]}"#
        ),
        Ok(message(EventType::UserMessage, "Look\n\nhere", &[], &[]))
    );
    assert_eq!(
        read(
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#
        ),
        Ok(message(EventType::AgentMessage, "", &["call_1"], &[]))
    );
    assert_eq!(
        read(r#"{"role":"tool","tool_call_id":"call_1","content":"a.txt"}"#),
        Ok(message(EventType::AgentMessage, "a.txt", &[], &["call_1"]))
    );
    assert_eq!(
        read(r#"{"role":"assistant","content":null,"refusal":"No."}"#),
        Ok(message(EventType::AgentMessage, "No.", &[], &[]))
    );
}

#[test]
fn messages_of_anthropic_are_read() {
    let read = |text| read(MessageFormat::Anthropic, text);
    assert_eq!(
        read(
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"…","signature":"s"},{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}]}"#
        ),
        Ok(message(EventType::AgentMessage, "I look.", &["toolu_1"], &[]))
    );
    assert_eq!(
        read(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.txt"}]}"#
        ),
        Ok(message(EventType::AgentMessage, "", &[], &["toolu_1"]))
    );
    assert_eq!(
        read(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1"},{"type":"text","text":"Go on."}]}"#
        ),
        Ok(message(EventType::UserMessage, "Go on.", &[], &["toolu_1"]))
    );
}

#[test]
fn messages_of_google_are_read() {
    let read = |text| read(MessageFormat::Google, text);
    assert_eq!(read(r#"{"parts":[{"text":"Hi"}]}"#), Ok(message(EventType::UserMessage, "Hi", &[], &[])));
    assert_eq!(
        read(
            r#"{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I look."},{"functionCall":{"id":"f1","name":"ls","args":{}}},{"functionCall":{"name":"pwd"}}]}"#
        ),
        Ok(message(EventType::AgentMessage, "I look.", &["f1", "pwd"], &[]))
    );
    assert_eq!(
        read(r#"{"role":"user","parts":[{"function_response":{"name":"pwd","response":{}}}]}"#),
        Ok(message(EventType::AgentMessage, "", &[], &["pwd"]))
    );
}

#[test]
fn plain_messages_are_read() {
    assert_eq!(
        read(MessageFormat::Plain, r#"{"role":"compaction","text":"They met."}"#),
        Ok(message(EventType::Compaction, "They met.", &[], &[]))
    );
}

#[test]
fn malformed_message_is_refused_with_its_fault() {
    let error = |format, text| read(format, text).expect_err("malformed");
    assert_eq!(
        error(MessageFormat::OpenAi, r#"{"role":"robot"}"#),
        "role is \"robot\", and the format openai has system, developer, user, assistant, tool and function"
    );
    assert_eq!(
        error(MessageFormat::Anthropic, r#"{"role":"user"}"#),
        "content must be a string or a list of blocks"
    );
    assert_eq!(
        error(MessageFormat::Google, r#"{"role":"user","parts":["Hi"]}"#),
        "parts must be a list of parts"
    );
    assert_eq!(error(MessageFormat::Plain, r#"{"role":"user","text":1}"#), "text must be a string");
    assert_eq!(error(MessageFormat::Plain, r#"["user"]"#), "a message is an object");
    let long = format!("{{\"role\":\"{}\"}}", "x".repeat(1000));
    assert!(error(MessageFormat::Plain, &long).len() < 200, "a long value is cut");
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = "role|content|parts|text|tool_calls|type|user|assistant|model|tool_result|id";
    let leaf =
        prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), words.prop_map(Value::from)];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((words, inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_or_refused(value in any_json()) {
        let message = Json::parse(&value.to_string()).expect("valid");
        for format in MessageFormat::ALL {
            if let Ok(read) = read_message(*format, &message) {
                prop_assert!(read.kind.is_message());
            }
        }
    }
}
