//! The versions of Lace's real web client: what each sends, and what it reads. The requests are our own, from the facts of
//! `useSessionEvents`, `ToolApprovalProvider`, `useEventStream` and `serialization` (obra/lace). `tests/clients/run` runs the
//! clients themselves.

use crate::ASK;
use countersign_tests::{EventStreamReader, over_http};
use serde_json::{Value, json};

const ALL: &str = "/api/events/stream";

/// Reads a message: its name, or nothing, and its data.
async fn named(stream: &mut EventStreamReader) -> (String, Value) {
    loop {
        let message = stream.message().await;
        let line = |name: &str| message.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        if let Some(data) = line("data: ") {
            return (line("event: ").unwrap_or_default(), serde_json::from_str(&data).expect("JSON"));
        }
    }
}

/// What superjson gives a client: the value of `json`, whose dates `meta` names.
fn superjson(body: &Value, date: &str) -> Value {
    assert_eq!(body["meta"]["values"][date], json!(["Date"]), "{body}");
    body["json"].clone()
}

fn decision(word: &str) -> String {
    json!({ "decision": word }).to_string()
}

/// 24 July 2025 (0a7bab1ac): events by name, and a list under `pendingApprovals`.
#[tokio::test]
async fn lace_client_of_july_reads_named_events() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let mut stream = ada.streams("/api/sessions/t/events/stream", None).await;
        let (name, connected) = named(&mut stream).await;
        assert_eq!((name.as_str(), &connected["status"]), ("connection", &json!("connected")));
        let pending = ada.get("/api/threads/t/approvals/pending").await.value("pendingApprovals.0");
        assert_eq!(
            [&pending["toolCallId"], &pending["toolCall"]["name"], &pending["requestedAt"]],
            [&json!("call_1"), &json!("bash"), &json!("2026-01-31T12:00:00.000Z")]
        );
        assert_eq!(pending["requestData"]["input"], json!({"command": "ls"}));
        builder.proposes_unlike_others("call_2").await;
        let (name, call) = named(&mut stream).await;
        assert_eq!((name.as_str(), &call["data"]["id"]), ("TOOL_CALL", &json!("call_2")));
        let (name, asked) = named(&mut stream).await;
        assert_eq!(
            (name.as_str(), &asked["type"]),
            ("TOOL_APPROVAL_REQUEST", &json!("TOOL_APPROVAL_REQUEST"))
        );
        assert_eq!([&asked["data"]["requestId"], &asked["data"]["toolName"]], ["call_2", "bash"]);
        assert_eq!(asked["data"]["input"], call["data"]["arguments"]);
        assert_eq!(ada.post("/api/threads/t/approvals/call_2", decision("deny")).await.status, 200);
        let (name, decided) = named(&mut stream).await;
        assert_eq!(name, "TOOL_APPROVAL_RESPONSE");
        assert_eq!(decided["data"], json!({"toolCallId": "call_2", "decision": "deny"}));
        let (name, result) = named(&mut stream).await;
        assert_eq!((name.as_str(), &result["data"]["isError"]), ("TOOL_RESULT", &json!(true)));
        assert_eq!(result["threadId"], "t");
    })
    .await;
}

/// 17 August 2025 (3d58cd87e): superjson, and one stream for all threads, with the choice in the query.
#[tokio::test]
async fn lace_client_of_august_reads_superjson() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.in_thread("other").proposes("call_0").await;
        let mut stream = ada.streams(&format!("{ALL}?sessions=t&threads=t"), None).await;
        builder.in_thread("other").proposes_unlike_others("call_9").await;
        builder.proposes("call_1").await;
        let (name, first) = named(&mut stream).await;
        let call = superjson(&first, "timestamp");
        assert_eq!(
            (name.as_str(), &call["type"], &call["data"]["id"]),
            ("", &json!("TOOL_CALL"), &json!("call_1")),
            "messages have no name, and the other thread is left out"
        );
        let asked = superjson(&named(&mut stream).await.1, "timestamp");
        assert_eq!([&asked["type"], &asked["data"]["toolCallId"]], ["TOOL_APPROVAL_REQUEST", "call_1"]);
        let pending = superjson(&ada.get("/api/threads/t/approvals/pending").await.json(), "0.requestedAt");
        assert_eq!(pending.as_array().map(Vec::len), Some(1));
        assert_eq!(
            [&pending[0]["toolCallId"], &pending[0]["requestData"]["riskLevel"]],
            ["call_1", "moderate"]
        );
        let decided = ada.post("/api/threads/t/approvals/call_1", decision("allow_session")).await;
        assert_eq!(decided.value("json.success"), true);
        let told = superjson(&named(&mut stream).await.1, "timestamp");
        assert_eq!([&told["type"], &told["data"]["toolCallId"]], ["TOOL_APPROVAL_RESPONSE", "call_1"]);
    })
    .await;
}

/// 26 October 2025 (9c107979d): a session with several agents, and one stream of everything.
#[tokio::test]
async fn lace_client_of_october_decides_in_its_session() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let mut stream = ada.streams(ALL, None).await;
        builder.in_thread("s.1").proposes("call_1").await;
        builder.in_thread("s.2").proposes_unlike_others("call_2").await;
        builder.in_thread("sx").proposes("call_3").await;
        let call = superjson(&named(&mut stream).await.1, "timestamp");
        assert_eq!(call["context"], json!({"sessionId": "s", "threadId": "s.1"}));
        let path = "/api/sessions/s/approvals";
        let pending = superjson(&ada.get(&format!("{path}/pending")).await.json(), "1.requestedAt");
        let shown = |at: usize| [pending[at]["agentId"].clone(), pending[at]["toolCallId"].clone()];
        assert_eq!([shown(0), shown(1)], [["s.1", "call_1"], ["s.2", "call_2"]]);
        assert_eq!(pending.as_array().map(Vec::len), Some(2), "sx is another session");
        let decided = ada.post(&format!("{path}/call_2"), decision("allow_once")).await;
        assert_eq!(decided.value("json.success"), true);
        assert_eq!(builder.in_thread("s.2").call("call_2").await.text("state"), "allowed");
        let foreign = ada.post(&format!("{path}/call_3"), decision("allow_once")).await;
        assert_eq!((foreign.status, foreign.text("code").as_str()), (404, "unknown_call"));
        builder.in_thread("s.2").proposes_unlike_others("call_1").await;
        let two = ada.post(&format!("{path}/call_1"), decision("allow_once")).await;
        assert_eq!(
            (two.status, two.text("detail").as_str()),
            (422, "id: is pending in s.1 and s.2; decide by the thread")
        );
    })
    .await;
}
