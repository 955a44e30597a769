//! The scenes with whole threads: conversations, settings, and the end of a thread.

use super::{
    GoldenStage,
    stage::{named, read_body},
};
use countersign_api::{self as api, CallState, operations};
use countersign_approvals::access::VisibleThreads;
use countersign_events::Timestamp;
use serde_json::{Value, json};

async fn says(stage: &GoldenStage, thread: &str, messages: Value) {
    let thread = api::parse_thread_id(thread).expect("valid");
    stage.send("agent:bot", operations::AddMessages { thread, body: read_body(&messages) }).await;
}

pub(super) async fn play_conversations(stage: &GoldenStage) {
    let plain = [
        ("system", "You help in a shop."),
        ("user-system", "Answer in short sentences."),
        ("user", "Deploy it – Grüße \u{1f680}"),
        ("agent", "I ask first."),
        ("local", "The answer was shortened."),
        ("compaction", "They agreed to deploy."),
    ];
    let messages: Vec<_> = plain.iter().map(|(role, text)| json!({"role": role, "text": text})).collect();
    says(stage, "talk", json!({"format": "plain", "messages": messages})).await;
    let openai = json!({"format": "openai", "messages": [
        {"role": "user", "content": "Deploy it."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"make deploy\"}"}}]}
    ]});
    says(stage, "talk-openai", openai).await;
    let call = stage.call("talk-openai", "call_1");
    call.asks("make deploy").await;
    call.allows().await;
    call.runs().await;
}

async fn sets_mode(stage: &GoldenStage, thread: &str, mode: &str) {
    let thread = api::parse_thread_id(thread).expect("valid");
    let body = read_body(&json!({"mode": mode, "newThread": true}));
    stage.send("user:ada", operations::SetMode { thread, body }).await;
}

pub(super) async fn play_settings(stage: &GoldenStage) {
    sets_mode(stage, "denying", "auto_deny").await;
    assert_eq!(stage.call("denying", "call_1").asks("make a").await.state, CallState::Denied);
    sets_mode(stage, "trusting", "approve_all").await;
    assert_eq!(stage.call("trusting", "call_1").asks("make a").await.state, CallState::Allowed);
    sets_mode(stage, "trusting", "interactive").await;
    let careful = api::parse_thread_id("careful").expect("valid");
    let body =
        json!({"tools": {"bash": "require-approval", "read": "deny", "ls": "allow"}, "newThread": true});
    stage.send("user:ada", operations::SetToolPolicies { thread: careful, body: read_body(&body) }).await;
    assert_eq!(
        stage.call("careful", "call_1").proposes(json!({"name": "ls", "arguments": {}})).await.state,
        CallState::Allowed
    );
    stage.call("stopped", "call_1").asks("make a").await;
    let stopped = api::parse_thread_id("stopped").expect("valid");
    let body = read_body(&json!({"comment": "it went wrong"}));
    stage.send("user:bob", operations::StopThread { thread: stopped, body }).await;
}

/// Closes two threads, and moves the content of the first one to a file.
pub(super) async fn play_archive(stage: &GoldenStage) {
    let close = async |name: &str| {
        let thread = api::parse_thread_id(name).expect("valid");
        stage.send("user:ada", operations::CloseThread { thread }).await;
    };
    let old = stage.call("archived", "call_1");
    old.asks("echo from last year").await;
    old.decides("user:ada", json!({"decision": "allow_once", "comment": "fine"})).await;
    old.runs().await;
    says(stage, "archived", json!({"format": "plain", "message": {"role": "user", "text": "Thanks."}})).await;
    close("archived").await;
    let later = Timestamp::from_millis(9_000_000_000_000);
    let zoe = stage.gate.acting_as(named("user:zoe"));
    let file = stage.file("archive.ndjson");
    let moved = zoe.archive(later, &VisibleThreads::default(), &file, |_| ()).await.expect("archived");
    assert_eq!(moved.archived, 1);
    stage.call("closed", "call_1").asks("make a").await;
    close("closed").await;
}
