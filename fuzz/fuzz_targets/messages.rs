//! Fuzzes messages: the formats of a message and of a reader in the first line, and a list of messages below it. Whatever the
//! messages are, a model gets one result for each call and no request of a client, and a client gets them as they were sent.
#![cfg_attr(fuzzing, no_main)]

use countersign_events::{Json, event::MessageFormat};
use countersign_messages::{ReadConversation, read_message};
use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;

/// The ids in the members `name` of the items of this type.
fn item_ids(messages: &[Json], kind: &str) -> Vec<String> {
    let values = messages.iter().filter_map(|message| message.read::<serde_json::Value>().ok());
    let of_kind = values.filter(|item| item["type"] == kind);
    of_kind.filter_map(|item| item["call_id"].as_str().map(str::to_owned)).collect()
}

fuzz_target!(|input: &str| {
    let (formats, list) = input.split_once('\n').unwrap_or(("", input));
    let format = |word: Option<&str>| word.and_then(|word| word.parse::<MessageFormat>().ok());
    let mut words = formats.split(' ');
    let from = format(words.next()).unwrap_or(MessageFormat::OpenAi);
    let to = format(words.next()).unwrap_or(MessageFormat::OpenAiResponses);
    let Ok(list) = Json::parse(list) else { return };
    let messages = list.read::<Vec<Json>>().unwrap_or_else(|_| vec![list.clone()]);
    let mut read = ReadConversation::default();
    let mut accepted = 0;
    for (place, message) in (0..).zip(&messages) {
        accepted += usize::from(read_message(from, message).is_ok());
        read.add(place, from, message);
    }
    for decision in read.decisions(|_| true, |_| true) {
        assert!(decision.verdict.is_err() || decision.position < 1_000_000);
    }
    let _ = read.spoken_decision();
    let same = read.clone().for_client(from, &[]);
    assert_eq!(same.messages.len(), accepted, "{input:?}");
    let model = read.clone().for_model(MessageFormat::OpenAiResponses, &HashMap::new());
    if from != MessageFormat::OpenAiResponses {
        let calls = item_ids(&model.messages, "function_call");
        assert_eq!(calls, item_ids(&model.messages, "function_call_output"), "{input:?}");
        assert!(!calls.iter().any(String::is_empty), "{input:?}");
    }
    for written in [read.clone().for_model(to, &HashMap::new()), read.for_client(to, &[])] {
        for message in written.messages.iter().chain(&written.system) {
            assert!(message.canonical_hash().is_ok(), "{input:?}: {message:?}");
        }
    }
});
