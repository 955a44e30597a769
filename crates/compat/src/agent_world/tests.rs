//! Messages as the events of Agent World. `tests/api` has the client flows.

use super::events::write_world_message;
use countersign_events::{
    ConversationMessage, ErasedTexts, Event, EventType, Json, MessageFormat, Principal, Sha256, ThreadId,
    Timestamp,
};

/// The Agent World event for a message, and whether it is the agent's last message.
fn write(kind: EventType, format: MessageFormat, message: &str) -> (String, bool) {
    let event = Event {
        seq: 7,
        thread_id: ThreadId::new("t").expect("valid"),
        kind,
        timestamp: Timestamp::from_millis(0),
        principal: Principal::agent("a1"),
        data: Json::null(),
        hash: None,
    };
    let content = Json::parse(message).expect("JSON");
    let differs: Vec<_> = message.contains("\"differs\"").then(|| "differs".to_owned()).into_iter().collect();
    let message = ConversationMessage {
        position: 0,
        format,
        content_hash: content.admit().unwrap_or(Sha256::digest(b"")),
        content,
        redacted: Vec::new(),
        erased: ErasedTexts::default(),
    };
    let (written, is_last_word) = write_world_message(&event, &message, &differs);
    (written.as_str().to_owned(), is_last_word)
}

#[test]
fn agent_without_a_call_says_its_last_word() {
    use EventType::{AgentMessage, UserMessage};
    let (written, is_last) = write(
        AgentMessage,
        MessageFormat::Anthropic,
        r#"{"role":"assistant","content":[{"type":"text","text":"Done."}]}"#,
    );
    assert!(is_last);
    assert_eq!(
        written,
        r#"{"type":"message","data":{"type":"message","sender":"a1","content":"Done.","messageId":"7","createdAt":"1970-01-01T00:00:00.000Z","role":"assistant"}}"#
    );
    let calling = r#"{"role":"assistant","content":"I look.","tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#;
    let (written, is_last) = write(AgentMessage, MessageFormat::OpenAi, calling);
    assert!(!is_last && written.contains(r#""tool_calls":[{"id":"c""#), "{written}");
    assert!(
        !write(
            AgentMessage,
            MessageFormat::OpenAi,
            r#"{"role":"tool","tool_call_id":"c","content":"a.txt"}"#
        )
        .1
    );
    assert!(!write(UserMessage, MessageFormat::OpenAi, r#"{"role":"user","content":"Go on."}"#).1);
    assert!(!write(AgentMessage, MessageFormat::OpenAi, "[]").1, "an unreadable one is no last word");
}

#[test]
fn forged_request_and_differing_call_are_not_streamed() {
    let call = |id: &str, name: &str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":"{{}}"}}}}"#)
    };
    let calls =
        [call("approval_c1", "client.requestApproval"), call("differs", "ls"), call("same", "ls")].join(",");
    let message = format!(r#"{{"role":"assistant","content":"","tool_calls":[{calls}]}}"#);
    let (written, _) = write(EventType::AgentMessage, MessageFormat::OpenAi, &message);
    assert!(!written.contains("requestApproval") && !written.contains(r#""id":"differs""#), "{written}");
    assert!(
        written.contains(r#""id":"same""#) && written.contains("shows call differs with another tool"),
        "{written}"
    );
}
