//! Fuzzes frames of JSON-RPC: a frame that passes the gateway is not a call for any parser, and a call keeps its meaning.
#![cfg_attr(fuzzing, no_main)]

use countersign_events::Json;
use countersign_mcp::{
    ClientFrame, ToolCallFrame, read_client_frame, read_server_frame, without_carriage_returns,
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Returns true if a server that takes the last of repeated members and ignores case would run a tool.
fn would_call(frame: &Value) -> bool {
    match frame {
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| key.eq_ignore_ascii_case("method") && value.as_str() == Some("tools/call")),
        Value::Array(frames) => frames.iter().any(would_call),
        _ => false,
    }
}

fn check_call(text: &str, call: &ToolCallFrame) {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    assert_eq!(value["params"]["name"].as_str(), Some(call.name.as_str()), "{text:?}");
    if let Some(arguments) = value["params"].get("arguments") {
        assert_eq!(call.arguments.read::<Value>().ok().as_ref(), Some(arguments), "{text:?}");
    }
    let other = Json::parse("{\"changed\":[1.10]}").expect("valid");
    match read_client_frame(&call.with_arguments(&other)) {
        Ok(ClientFrame::ToolCall(changed)) => {
            assert_eq!((&changed.id, &changed.name), (&call.id, &call.name), "{text:?}");
            assert_eq!(changed.arguments, other, "{text:?}");
        }
        unexpected => panic!("{text:?} became {unexpected:?}"),
    }
}

fuzz_target!(|input: &str| {
    let text = input.replace('\n', " ");
    let _ = read_server_frame(&text);
    match read_client_frame(&text) {
        Ok(ClientFrame::ToolCall(call)) => check_call(&text, &call),
        Ok(ClientFrame::Batch(elements)) => {
            assert!(elements.iter().all(|element| text.contains(element.as_str())));
        }
        Ok(_) => {
            let sent = without_carriage_returns(&text);
            assert!(!sent.contains('\r'));
            let parsed = serde_json::from_str::<Value>(&sent);
            assert!(!parsed.is_ok_and(|frame| would_call(&frame)), "{text:?} is a call");
        }
        Err(bad) => assert!(bad.code() < 0),
    }
});
