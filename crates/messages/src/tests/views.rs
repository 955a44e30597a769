//! Each format: messages are written as they were sent, requests are in its own form, and decisions are read.

use super::{conversations::conversations, *};
use countersign_api::{Call, CallState};
use countersign_events::Decision;

/// A pending call of `bash`.
pub(super) fn pending(id: &str) -> Call {
    let call = json!({
        "threadId": "t", "id": id, "name": "bash", "state": "pending", "arguments": {"command": "ls", "n": 1},
        "argumentsHash": "0".repeat(64),
        "proposal": {"seq": 1, "principal": "agent:bot", "at": "2026-01-31T12:00:00.000Z"},
        "request": {"seq": 2, "requestedAt": "2026-01-31T12:00:00.000Z", "options": ["allow_once", "deny"],
            "reason": "no rule", "policy": "0".repeat(64)}
    });
    serde_json::from_value(call).expect("a call")
}

/// The call `id` of `bash` as the log has it, in this state, and decided if it is not pending.
pub(super) fn logged(id: &str, allows: Option<bool>) -> LoggedCall {
    let mut call = pending(id);
    if let Some(allows) = allows {
        call.state = if allows { CallState::Allowed } else { CallState::Denied };
        let response = json!({"seq": 3, "decision": if allows { "allow_once" } else { "deny" }, "principal": "user:ada",
            "source": "human", "at": "2026-01-31T12:00:00.000Z"});
        call.response = Some(serde_json::from_value(response).expect("a response"));
    }
    LoggedCall { proposed: call.arguments.clone(), proposed_hash: call.arguments_hash, call }
}

pub(super) fn log_of(calls: impl IntoIterator<Item = LoggedCall>) -> LoggedCalls {
    calls.into_iter().map(|call| (call.id.to_string(), call)).collect()
}

/// The decisions in a conversation that ada sends as a whole, while these calls are pending.
pub(super) fn decisions_of(read: &ReadConversation, offered: &[&str]) -> Vec<FoundDecision> {
    let offered: Vec<_> = offered.iter().map(ToString::to_string).collect();
    read.decisions(&MessageContext {
        sent_from: 0,
        positions: &read.deciding_positions(),
        offered: &offered,
        earlier: &EarlierDecisions::default(),
        person: MessageAuthor::of_principal("user:ada"),
    })
}

/// Reads messages of a format, at the places from 0 on.
pub(super) fn conversation(format: MessageFormat, messages: &Value) -> ReadConversation {
    let mut read = ReadConversation::default();
    for (place, message) in (0..).zip(messages.as_array().expect("a list")) {
        read.add(place, format, &Json::encode(message).expect("valid"));
    }
    read
}

fn values(messages: &[Json]) -> Value {
    messages.iter().map(|message| message.read::<Value>().expect("valid")).collect()
}

#[test]
fn every_format_with_calls_has_a_conversation() {
    for format in MessageFormat::ALL.iter().filter(|format| **format != MessageFormat::Plain) {
        assert!(conversations().iter().any(|(own, _)| own == format), "{}", format.as_str());
    }
}

#[test]
fn client_gets_messages_as_they_were_sent() {
    for (format, messages) in conversations() {
        let calls = log_of([logged("c1", Some(true))]);
        let written = conversation(format, &messages).for_client(format, &calls, &[]);
        assert_eq!(values(&written.messages), messages, "{}", format.as_str());
        assert_eq!(written.left_out, [], "{}", format.as_str());
    }
}

#[test]
fn decision_is_read_in_every_format() {
    for (format, messages) in conversations() {
        let read = conversation(format, &messages);
        let found = decisions_of(&read, &["c1"]);
        assert_eq!(found.len(), 1, "{}", format.as_str());
        assert_eq!(found[0].call, Ok("c1".to_owned()), "{}", format.as_str());
        let request = found[0].fit(&logged("c1", None)).expect("it fits");
        assert_eq!((request.decision, request.arguments), (Decision::AllowOnce, None), "{}", format.as_str());
    }
}

#[test]
fn model_gets_no_approval_in_any_format() {
    for (from, messages) in conversations() {
        for to in MessageFormat::ALL.iter().copied().filter(|format| is_for_models(*format)) {
            let calls = log_of([logged("c1", None)]);
            let written = conversation(from, &messages).for_model(to, &calls);
            let text = values(&written.messages).to_string();
            let names = (from.as_str(), to.as_str());
            assert!(!text.contains("pproval") && !text.contains("resume"), "{names:?}: {text}");
            assert!(text.contains("waits for a person's decision"), "{names:?}: {text}");
            let ids: Vec<_> = written.unfinished.iter().map(|call| call.id.as_str()).collect();
            assert_eq!(ids, ["c1"], "{names:?}");
        }
    }
}

#[test]
fn request_for_pending_call_is_read_back() {
    for (format, messages) in conversations() {
        let mut messages = messages.as_array().expect("a list").clone();
        if !matches!(format, MessageFormat::AiSdkUi | MessageFormat::HumanLayer) {
            messages.pop();
        }
        let written = conversation(format, &Value::from(messages)).for_client(
            format,
            &log_of([logged("c1", None)]),
            &[pending("c1")],
        );
        let text = values(&written.messages).to_string();
        let wanted = match format {
            MessageFormat::OpenAi | MessageFormat::Anthropic | MessageFormat::Google => {
                "client.requestApproval"
            }
            MessageFormat::OpenAiResponses => "mcp_approval_request",
            MessageFormat::OpenAiAgents => "tool_approval_item",
            MessageFormat::AiSdkUi => "approval-requested",
            MessageFormat::AiSdk => "tool-approval-request",
            MessageFormat::LangChain => "action_requests",
            MessageFormat::LangChainPerCall => "tool_approval",
            MessageFormat::AgentInbox => "allow_accept",
            MessageFormat::AgUi => "interrupts",
            _ => "requested_at",
        };
        assert!(text.contains(wanted), "{}: {text}", format.as_str());
        let again = conversation(format, &values(&written.messages));
        assert_eq!(again.call_ids().into_iter().collect::<Vec<_>>(), ["c1"], "{}", format.as_str());
    }
}

#[test]
fn unreadable_decision_is_a_fault() {
    let faults = [
        (MessageFormat::OpenAi, json!({"role": "tool", "tool_call_id": "approval_c1", "content": "sure"})),
        (
            MessageFormat::OpenAiResponses,
            json!({"type": "mcp_approval_response", "approval_request_id": "c1"}),
        ),
        (
            MessageFormat::AiSdkUi,
            json!({"id": "m", "role": "assistant", "parts": [{"type": "tool-bash", "toolCallId": "c1",
            "state": "approval-responded", "input": {}, "approval": {"id": "a", "approved": true, "signature": "x"}}]}),
        ),
        (MessageFormat::AgUi, json!({"resume": [{"interruptId": "approval_c1", "status": "resolved"}]})),
        (MessageFormat::LangChain, json!({"resume": {"approval_c1": {"type": "shrug"}}})),
        (MessageFormat::HumanLayer, json!({"call_id": "c1", "status": {"approved": false}})),
    ];
    for (format, message) in faults {
        let found = decisions_of(&conversation(format, &json!([message])), &["c1"]);
        assert!(found[0].verdict.is_err() || found[0].call.is_err(), "{}", format.as_str());
    }
}

#[test]
fn automatic_approval_is_no_decision_of_a_person() {
    let message = json!({"id": "m", "role": "assistant", "parts": [{"type": "tool-bash", "toolCallId": "c1",
        "state": "approval-responded", "input": {}, "approval": {"id": "a", "approved": true, "isAutomatic": true}}]});
    assert!(conversation(MessageFormat::AiSdkUi, &json!([message])).deciding_positions().is_empty());
}

#[test]
fn positional_decisions_need_one_for_each_call() {
    let messages = |decisions: Value| {
        json!([
            {"type": "ai", "content": "", "tool_calls": [
                {"id": "c1", "name": "bash", "args": {}}, {"id": "c2", "name": "bash", "args": {}}, {"id": "c3", "name": "bash", "args": {}}
            ]},
            {"resume": {"decisions": decisions}}
        ])
    };
    let read = |decisions| {
        decisions_of(&conversation(MessageFormat::LangChain, &messages(decisions)), &["c1", "c3"])
    };
    let found = read(json!([{"type": "approve"}, {"type": "reject", "message": "no"}]));
    let calls: Vec<_> = found.iter().map(|found| found.call.clone().expect("known")).collect();
    assert_eq!(calls, ["c1", "c3"], "people were not asked about the second call");
    assert!(!found[0].names_turn, "the turn has another call");
    let few = read(json!([{"type": "approve"}]));
    assert!(few[0].call.is_err(), "{few:?}");
}

#[test]
fn edited_texts_get_types_of_proposed_values() {
    let message = json!({"resume": {"approval_c1": [{"type": "edit",
        "args": {"action": "bash", "args": {"command": "7", "n": "2"}}}]}});
    let found = decisions_of(&conversation(MessageFormat::AgentInbox, &json!([message])), &["c1"]);
    let request = found[0].fit(&logged("c1", None)).expect("it fits");
    assert_eq!(request.arguments.expect("edited").as_str(), r#"{"command":"7","n":2}"#);
    let renamed =
        json!({"resume": {"approval_c1": {"type": "edit", "edited_action": {"name": "sh", "args": {}}}}});
    let found = decisions_of(&conversation(MessageFormat::LangChain, &json!([renamed])), &["c1"]);
    assert!(found[0].fit(&logged("c1", None)).is_err());
}

/// The call `c1` as the log has it after it was decided and ended so.
fn ended(allows: bool, status: &str, content: &str) -> LoggedCall {
    let mut call = logged("c1", Some(allows));
    let result = json!({"seq": 5, "status": status, "content": content, "principal": "agent:bot",
        "at": "2026-01-31T12:00:00.000Z"});
    call.call.result = Some(serde_json::from_value(result).expect("a result"));
    call
}

/// The part of the call `c1` in a client view of UI messages.
fn shown_part(from: MessageFormat, messages: &Value, call: LoggedCall) -> Value {
    let written = conversation(from, messages).for_client(MessageFormat::AiSdkUi, &log_of([call]), &[]);
    let messages = values(&written.messages);
    let parts = messages.as_array().into_iter().flatten().filter_map(|message| message["parts"].as_array());
    parts.flatten().find(|part| part["toolCallId"] == "c1").cloned().expect("the part of the call")
}

#[test]
fn ui_part_shows_how_far_the_call_is() {
    let part = json!({"type": "tool-bash", "toolCallId": "c1", "state": "input-available", "input": {"command": "ls", "n": 1}});
    let sent = json!([{"id": "m", "role": "assistant", "parts": [part]}]);
    let (_, openai) = conversations().remove(0);
    for (from, messages) in [(MessageFormat::AiSdkUi, &sent), (MessageFormat::OpenAi, &openai)] {
        let shown = |call| shown_part(from, messages, call);
        let done = shown(ended(true, "success", "a.txt"));
        assert_eq!(
            (&done["state"], &done["output"]),
            (&json!("output-available"), &json!("a.txt")),
            "{from:?}"
        );
        assert_eq!(done["approval"], json!({"id": "approval_c1", "approved": true}));
        let failed = shown(ended(true, "error", "no such file"));
        assert_eq!(
            (&failed["state"], &failed["errorText"]),
            (&json!("output-error"), &json!("no such file"))
        );
        let denied = shown(ended(false, "denied", "not today"));
        assert_eq!(denied["state"], "output-denied");
        assert_eq!(
            denied["approval"],
            json!({"id": "approval_c1", "approved": false, "reason": "not today"})
        );
        let mut blocked = ended(false, "denied", "blocked by a rule");
        blocked.call.request = None;
        assert_eq!(shown(blocked)["approval"]["isAutomatic"], true, "no person denied it");
        assert_eq!(shown(logged("c1", Some(true)))["state"], "approval-responded");
        assert_eq!(shown(logged("c1", None))["state"], "input-available");
    }
}

#[test]
fn ui_part_keeps_only_a_true_output() {
    let part = json!({"type": "tool-bash", "toolCallId": "c1", "state": "output-available", "input": {"command": "ls", "n": 1},
        "output": {"files": ["a.txt"]}});
    let sent = json!([{"id": "m", "role": "assistant", "parts": [part]}]);
    assert_eq!(shown_part(MessageFormat::AiSdkUi, &sent, ended(true, "success", "a.txt")), part);
    let denied = shown_part(MessageFormat::AiSdkUi, &sent, ended(false, "denied", "no"));
    assert_eq!((&denied["state"], &denied["output"]), (&json!("output-denied"), &Value::Null));
}

#[test]
fn function_call_of_another_format_shows_its_decision() {
    let (_, openai) = conversations().remove(0);
    let calls = log_of([ended(false, "denied", "no")]);
    let written =
        conversation(MessageFormat::OpenAi, &openai).for_client(MessageFormat::HumanLayer, &calls, &[]);
    assert_eq!(values(&written.messages)[0]["status"]["approved"], false);
}
