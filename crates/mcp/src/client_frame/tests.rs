//! Frames that are calls, frames that are not, and frames that must not reach a server.

use super::*;

fn read_call(text: &str) -> ToolCallFrame {
    match read_client_frame(text).expect(text) {
        ClientFrame::ToolCall(call) => *call,
        other => panic!("{other:?}"),
    }
}

#[test]
fn call_keeps_its_exact_texts() {
    let call = read_call(
        r#"{"jsonrpc":"2.0","id":1.0,"method":"tools\/call","params":{"name":"add","arguments":{"a":1.10},"_meta":{"progressToken":"p"}}}"#,
    );
    assert_eq!((call.id.as_str(), call.id_key.as_str(), call.name.as_str()), ("1.0", "1", "add"));
    assert_eq!(call.arguments.as_str(), r#"{"a":1.10}"#);
    assert_eq!(call.progress_token.as_ref().map(Json::as_str), Some("\"p\""));
    assert_eq!(call.protocol_meta, None);
}

#[test]
fn changed_arguments_change_nothing_else() {
    let call = read_call(
        r#"{"x":[1], "id":"a","method":"tools/call","params":{ "arguments" : {"a":1} ,"name":"t"}}"#,
    );
    let changed = call.with_arguments(&Json::parse(r#"{"b":2}"#).expect("valid"));
    assert_eq!(
        changed,
        r#"{"x":[1], "id":"a","method":"tools/call","params":{ "arguments" : {"b":2} ,"name":"t"}}"#
    );
}

#[test]
fn arguments_are_added_where_none_were() {
    let call = read_call(r#"{"id":1,"method":"tools/call","params":{"name":"t"}}"#);
    assert_eq!(call.arguments.as_str(), "{}");
    let changed = call.with_arguments(&Json::parse(r#"{"b":2}"#).expect("valid"));
    assert_eq!(read_call(&changed).arguments.as_str(), r#"{"b":2}"#);
    assert_eq!(read_call(&changed).name, "t");
}

#[test]
fn ambiguous_calls_are_refused() {
    for text in [
        r#"{"id":1,"method":"ping","method":"tools/call","params":{"name":"t"}}"#,
        r#"{"id":1,"method":"ping","Method":"tools/call","params":{"name":"t"}}"#,
        r#"{"id":1,"method":"tools/call","params":{"name":"t"},"params":{"name":"u"}}"#,
        r#"{"id":1,"method":"tools/call","params":{"name":"t","name":"u"}}"#,
        r#"{"id":1,"method":"tools/call","params":{"name":"t","Arguments":{}}}"#,
    ] {
        let refused = read_client_frame(text).expect_err(text);
        assert!(matches!(refused, BadFrame::Ambiguous { .. }), "{text}: {refused:?}");
        assert_eq!(refused.id().map(Json::as_str), Some("1"), "{text}");
    }
}

#[test]
fn calls_that_cannot_be_reviewed_are_refused() {
    for text in [
        r#"{"method":"tools/call","params":{"name":"t"}}"#,
        r#"{"id":null,"method":"tools/call","params":{"name":"t"}}"#,
        r#"{"id":1,"method":"tools/call"}"#,
        r#"{"id":1,"method":"tools/call","params":["t"]}"#,
        r#"{"id":1,"method":"tools/call","params":{"name":7}}"#,
        r#"{"id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":1,"a":2}}}"#,
        r#"{"id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":"\ud800"}}}"#,
        r#"{"id":1,"method":"tools/call","params":{"name":"t","arguments":{"path":"/ok","Path":"/etc/shadow"}}}"#,
    ] {
        let refused = read_client_frame(text).expect_err(text);
        assert!(matches!(refused, BadFrame::InvalidCall { .. }), "{text}: {refused:?}");
    }
    for text in ["", "tools/call", "1", "{\"id\":1", "{\"method\":\"\\ud800\"}", "\u{feff}{}", "[[]]"] {
        assert_eq!(read_client_frame(text), Err(BadFrame::Syntax), "{text}");
    }
}

#[test]
fn other_frames_pass() {
    for text in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"x/unknown","params":{"a":1,"a":2}}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
    ] {
        assert!(matches!(read_client_frame(text), Ok(ClientFrame::Other { .. })), "{text}");
    }
}

#[test]
fn batch_with_a_call_is_split() {
    let text = r#"[{"id":1,"method":"ping"}, {"id":2,"method":"tools/call","params":{"name":"t"}}]"#;
    let Ok(ClientFrame::Batch(elements)) = read_client_frame(text) else { panic!("not a batch") };
    assert_eq!(elements.len(), 2);
    assert_eq!(read_call(&elements[1]).name, "t");
}

#[test]
fn carriage_returns_cannot_start_a_line() {
    let text = "{\"a\":\r{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}\r}";
    let safe = without_carriage_returns(text);
    assert_eq!(safe.lines().count(), 1);
    assert!(!safe.contains('\r'));
}

#[test]
fn protocol_members_are_kept_for_own_requests() {
    let call = read_call(
        r#"{"id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","other":1}}}"#,
    );
    assert_eq!(
        call.protocol_meta.as_ref().map(Json::as_str),
        Some(r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#)
    );
}

const ROUND: &str = r#"{"id":2,"method":"tools/call","params":{"name":"t","requestState":"s", "arguments":{"a":1.0},"inputResponses":{"countersign":{"action":"decline"}},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}}}}}"#;

#[test]
fn parts_of_a_round_are_read_and_removed() {
    let call = read_call(ROUND);
    assert_eq!(call.rounds, Some(RoundParts { opens_urls: true, is_declined: true }));
    assert_eq!(call.request_state.as_deref(), Some("s"));
    let first = call.without_rounds();
    assert!(!first.text.contains("requestState") && !first.text.contains("inputResponses"), "{}", first.text);
    assert_eq!(first.rounds, call.rounds, "the gateway still knows what the user answered");
    assert_eq!((first.arguments.as_str(), first.request_state), (r#"{"a":1.0}"#, None));
    let continued = read_call(&call.with_request_state(Some("of the server")));
    assert_eq!(continued.request_state.as_deref(), Some("of the server"));
    assert!(continued.text.contains("inputResponses"));
    assert_eq!(read_call(&call.with_request_state(None)).request_state, None);
}

#[test]
fn earlier_protocols_have_no_rounds() {
    for text in [
        ROUND.replace("2026-07-28", "2025-11-25"),
        ROUND.replace("io.modelcontextprotocol/protocolVersion", "other"),
    ] {
        assert_eq!(read_call(&text).rounds, None, "{text}");
    }
}

#[test]
fn client_without_forms_gets_the_capability() {
    use crate::round_parts::add_form_capability;
    let initialize = |capabilities: &str| {
        format!(r#"{{"id":1,"method":"initialize","params":{{"capabilities":{capabilities},"x":1.0}}}}"#)
    };
    let shows = |text: &str| match read_client_frame(text) {
        Ok(ClientFrame::Initialize { shows_forms, .. }) => shows_forms,
        other => panic!("{other:?}"),
    };
    for (capabilities, added) in
        [("{}", r#"{"elicitation":{}}"#), (r#"{ "roots":{}}"#, r#"{"elicitation":{}, "roots":{}}"#)]
    {
        assert!(!shows(&initialize(capabilities)));
        assert_eq!(add_form_capability(&initialize(capabilities)), initialize(added));
        assert!(shows(&initialize(added)));
    }
    for capabilities in [r#"{"elicitation":{"url":{}}}"#, "[]"] {
        assert!(!shows(&initialize(capabilities)), "{capabilities}");
        assert_eq!(add_form_capability(&initialize(capabilities)), initialize(capabilities));
    }
}

#[test]
fn client_declares_that_it_opens_addresses() {
    let initialize = |capabilities: &str| {
        format!(r#"{{"id":1,"method":"initialize","params":{{"capabilities":{capabilities}}}}}"#)
    };
    let opens = |capabilities| match read_client_frame(&initialize(capabilities)) {
        Ok(ClientFrame::Initialize { opens_urls, .. }) => opens_urls,
        other => panic!("{other:?}"),
    };
    assert!(opens(r#"{"elicitation":{"form":{},"url":{}}}"#));
    for capabilities in [r#"{"elicitation":{}}"#, r#"{"elicitation":{"url":null}}"#, "{}", "[]"] {
        assert!(!opens(capabilities), "{capabilities}");
    }
}

#[test]
fn answers_to_the_gateway_are_its_own() {
    let own = r#"{"id":"countersign-elicitation-mcp-1-0","result":{"action":"accept"}}"#;
    assert_eq!(read_client_frame(own), Ok(ClientFrame::OwnAnswer));
    assert_eq!(read_client_frame(r#"{"id":7,"result":{}}"#), Ok(ClientFrame::Answer { id: "7".to_owned() }));
}
