//! Fuzzes hub frames: only the places that the hub changes differ, ids come back as they were, and names stay clear.
#![cfg_attr(fuzzing, no_main)]

use countersign_mcp::{
    HubFrame, ServerName, listed_tool_name, read_server_config, restore_id, split_listed_name,
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// The frame without the places that the hub may change.
fn rest(mut frame: Value) -> Value {
    if let Some(members) = frame.as_object_mut() {
        members.remove("id");
    }
    if let Some(meta) = frame.pointer_mut("/params/_meta").and_then(Value::as_object_mut) {
        meta.remove("progressToken");
        meta.remove("added");
    }
    frame
}

fn check_frame(text: &str) {
    let Ok(frame) = HubFrame::read(text) else { return };
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    let qualified = frame.qualified("files");
    let parsed: Value = serde_json::from_str(&qualified).expect("still JSON");
    assert_eq!(rest(parsed), rest(value.clone()), "{text:?}");
    let read = HubFrame::read(&qualified).expect("still a frame");
    if let (Some(id), Some(own)) = (read.id_text(), frame.id_text()) {
        assert_eq!(restore_id(id), Some(("files".to_owned(), own.to_owned())), "{text:?}");
    }
    let has_place = value.get("params").is_none_or(Value::is_object)
        && value.pointer("/params/_meta").is_none_or(Value::is_object);
    if value.get("method").is_some() && has_place {
        let marked: Value = serde_json::from_str(&frame.with_meta("\"added\":1")).expect("still JSON");
        assert_eq!(marked.pointer("/params/_meta/added"), Some(&Value::from(1)), "{text:?}");
    }
}

fn check_names(text: &str) {
    let server = ServerName::new("files").expect("valid");
    let listed = listed_tool_name(&server, text);
    assert!(listed.len() <= 64 && listed.starts_with("files__"), "{listed:?}");
    assert!(listed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{listed:?}");
    if let Ok(other) = ServerName::new(text) {
        let listed = listed_tool_name(&other, "tool");
        assert_eq!(split_listed_name(&listed), Some((text, "tool")));
    }
}

fuzz_target!(|input: &str| {
    let text = input.replace('\n', " ");
    check_frame(&text);
    check_names(&text);
    let _ = restore_id(&text);
    for config in [text.clone(), format!("{{\"mcpServers\":{{\"a\":{text}}}}}")] {
        if let Ok(entries) = read_server_config(&config, &|_| None) {
            assert!(!entries.is_empty());
        }
    }
});
