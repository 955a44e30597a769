//! Fuzzes messages: the message format and the reader format in the first line, and a list of messages below it. Whatever the
//! messages are, a model gets one result for each call and no request of a client, and a client gets them as they were sent, or a
//! note of what is left out.
#![cfg_attr(fuzzing, no_main)]

use countersign_events::{Json, MessageFormat};
use countersign_messages::{
    EarlierDecisions, LoggedCalls, MessageAuthor, MessageContext, ReadConversation, read_message,
};
use libfuzzer_sys::fuzz_target;

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
    let positions = read.deciding_positions();
    let person = MessageAuthor::of_principal("user:ada");
    let (offered, earlier) = (["c1".to_owned()], EarlierDecisions::default());
    let context =
        MessageContext { sent_from: 0, positions: &positions, offered: &offered, earlier: &earlier, person };
    for decision in read.decisions(&context) {
        assert!(decision.verdict.is_err() || decision.position < 1_000_000);
    }
    let _ = read.spoken_decision(person);
    let none = LoggedCalls::new();
    let same = read.clone().for_client(from, &none, &[]);
    assert!(same.messages.len() <= accepted, "{input:?}");
    assert!(same.messages.len() == accepted || !same.left_out.is_empty(), "{input:?}");
    let model = read.clone().for_model(MessageFormat::OpenAiResponses, &none);
    if from != MessageFormat::OpenAiResponses {
        let calls = item_ids(&model.messages, "function_call");
        assert_eq!(calls, item_ids(&model.messages, "function_call_output"), "{input:?}");
        assert!(!calls.iter().any(String::is_empty), "{input:?}");
    }
    for written in [read.clone().for_model(to, &none), read.for_client(to, &none, &[])] {
        for message in written.messages.iter().chain(&written.system) {
            assert!(message.canonical_hash().is_ok(), "{input:?}: {message:?}");
        }
    }
});
