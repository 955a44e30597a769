//! Laws for model input: whatever was stored, it satisfies the API's rules.

use super::{views::conversation, *};
use std::collections::HashMap;

/// A message from a history in which calls and results come in any order.
#[derive(Debug, Clone)]
enum HistoryMessage {
    System,
    User,
    Agent { text: bool, calls: Vec<u8> },
    Client,
    Result(u8),
    ClientResult,
}

fn any_history() -> impl Strategy<Value = Vec<HistoryMessage>> {
    let call = || 0..4u8;
    let message = prop_oneof![
        Just(HistoryMessage::System),
        Just(HistoryMessage::User),
        (any::<bool>(), proptest::collection::vec(call(), 0..3))
            .prop_map(|(text, calls)| HistoryMessage::Agent { text, calls }),
        Just(HistoryMessage::Client),
        call().prop_map(HistoryMessage::Result),
        Just(HistoryMessage::ClientResult),
    ];
    proptest::collection::vec(message, 0..12)
}

/// The history in the Chat Completions format.
fn write_history(history: &[HistoryMessage]) -> Value {
    let call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"a\":1}"}});
    history
        .iter()
        .map(|message| match message {
            HistoryMessage::System => json!({"role": "system", "content": "Be brief."}),
            HistoryMessage::User => json!({"role": "user", "content": "Go."}),
            HistoryMessage::Agent { text, calls } => {
                let calls: Vec<_> = calls.iter().map(|id| call(&format!("c{id}"), "bash")).collect();
                let content = if *text { json!("I do.") } else { Value::Null };
                json!({"role": "assistant", "content": content, "tool_calls": calls})
            }
            HistoryMessage::Client => {
                json!({"role": "assistant", "content": "", "tool_calls": [call("approval_c1", "client.requestApproval")]})
            }
            HistoryMessage::Result(id) => json!({"role": "tool", "tool_call_id": format!("c{id}"), "content": "done"}),
            HistoryMessage::ClientResult => json!({"role": "tool", "tool_call_id": "approval_c1", "content": "approve_once"}),
        })
        .collect()
}

fn model_input(history: &[HistoryMessage], format: MessageFormat) -> Vec<Value> {
    let read = conversation(MessageFormat::OpenAi, &write_history(history));
    let written = read.for_model(format, &HashMap::new());
    written.messages.iter().map(|message| message.read().expect("valid")).collect()
}

fn texts<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    list.as_array().into_iter().flatten().filter_map(|item| item[name].as_str()).collect()
}

fn blocks<'a>(list: &'a Value, kind: &str, name: &str) -> Vec<&'a str> {
    let of_kind = list.as_array().into_iter().flatten().filter(|block| block["type"] == kind);
    of_kind.filter_map(|block| block[name].as_str()).collect()
}

proptest! {
    #[test]
    fn openai_has_one_result_directly_after_each_call(history in any_history()) {
        let messages = model_input(&history, MessageFormat::OpenAi);
        let mut open: Vec<String> = Vec::new();
        for message in &messages {
            if message["role"] == "tool" {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                prop_assert_eq!(open.first().map(String::as_str), Some(id), "{:?}", messages);
                open.remove(0);
            } else {
                prop_assert!(open.is_empty(), "a call has no result: {:?}", messages);
                open = texts(&message["tool_calls"], "id").into_iter().map(str::to_owned).collect();
                prop_assert!(!message["content"].is_null() || !open.is_empty(), "{:?}", message);
            }
        }
        prop_assert!(open.is_empty());
        let text = Value::from(messages).to_string();
        prop_assert!(!text.contains("approval"));
    }

    #[test]
    fn anthropic_alternates_and_begins_with_results(history in any_history()) {
        let messages = model_input(&history, MessageFormat::Anthropic);
        let mut calls: Vec<&str> = Vec::new();
        let mut last = "";
        for message in &messages {
            let role = message["role"].as_str().unwrap_or_default();
            prop_assert_ne!(role, last, "{:?}", messages);
            last = role;
            let content = &message["content"];
            let results = blocks(content, "tool_result", "tool_use_id");
            prop_assert_eq!(&results, &calls, "{:?}", messages);
            let first: Vec<_> = content.as_array().into_iter().flatten().take(results.len()).collect();
            prop_assert!(first.iter().all(|block| block["type"] == "tool_result"), "{:?}", messages);
            calls = blocks(content, "tool_use", "id");
            let unique: std::collections::BTreeSet<_> = calls.iter().collect();
            prop_assert_eq!(unique.len(), calls.len());
        }
        prop_assert!(calls.is_empty(), "{:?}", messages);
    }

    #[test]
    fn google_has_as_many_responses_as_calls(history in any_history()) {
        let messages = model_input(&history, MessageFormat::Google);
        let count = |message: &Value, name: &str| {
            message["parts"].as_array().into_iter().flatten().filter(|part| part[name].is_object()).count()
        };
        let (mut calls, mut last) = (0, "");
        for message in &messages {
            let role = message["role"].as_str().unwrap_or_default();
            prop_assert_ne!(role, last);
            last = role;
            prop_assert_eq!(count(message, "functionResponse"), calls, "{:?}", messages);
            calls = count(message, "functionCall");
        }
        prop_assert_eq!(calls, 0);
    }

    #[test]
    fn items_have_one_output_for_each_call(history in any_history()) {
        for (format, call, output, id) in [
            (MessageFormat::OpenAiResponses, "function_call", "function_call_output", "call_id"),
            (MessageFormat::OpenAiAgents, "function_call", "function_call_result", "callId"),
        ] {
            let items = Value::from(model_input(&history, format));
            prop_assert_eq!(blocks(&items, call, id), blocks(&items, output, id), "{}", items);
        }
    }

    #[test]
    fn items_keep_reasoning_before_their_calls(calls in 1..4usize) {
        let mut items = vec![json!({"role": "user", "content": "Go."}), json!({"type": "reasoning", "id": "r", "summary": []})];
        items.extend((0..calls).map(|n| json!({"type": "function_call", "call_id": format!("c{n}"), "name": "a", "arguments": "{}"})));
        items.extend((0..calls).rev().map(|n| json!({"type": "function_call_output", "call_id": format!("c{n}"), "output": "x"})));
        let read = conversation(MessageFormat::OpenAiResponses, &Value::from(items.clone()));
        let written = read.for_model(MessageFormat::OpenAiResponses, &HashMap::new());
        let kinds: Vec<_> = written.messages.iter().map(|item| item.read::<Value>().expect("valid")["type"].to_string()).collect();
        prop_assert_eq!(kinds[1].as_str(), "\"reasoning\"");
        prop_assert!(kinds[2..2 + calls].iter().all(|kind| kind == "\"function_call\""), "{:?}", kinds);
        // Chat Completions has all of them in one message.
        let read = conversation(MessageFormat::OpenAiResponses, &Value::from(items));
        let written = read.for_model(MessageFormat::OpenAi, &HashMap::new());
        prop_assert_eq!(written.messages.len(), 2 + calls);
    }

    #[test]
    fn any_conversation_is_written_in_any_format(messages in proptest::collection::vec(any_json(), 0..4)) {
        for from in MessageFormat::ALL {
            let mut read = ReadConversation::default();
            for (place, message) in (0..).zip(&messages) {
                read.add(place, *from, &Json::parse(&message.to_string()).expect("valid"));
            }
            for to in MessageFormat::ALL {
                let _ = read.clone().for_model(*to, &HashMap::new());
                let _ = read.clone().for_client(*to, &LoggedCalls::new(), &[views::pending("c1")]);
            }
        }
    }
}
