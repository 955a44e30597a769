//! The clients of Agent World, by version: what each sends, and which events it reads. Written from the facts of the public
//! repository yysun/agent-world; `tests/clients/agent_world` runs the clients themselves.

use crate::{
    ASK,
    agent_world::{CHECK, flags, read_all, say, shell_cmd, text},
};
use countersign_tests::{HttpWorld, over_http};
use serde_json::{Value, json};

/// The clients have this base.
const MESSAGES: &str = "/api/worlds/t/messages";
const RESULTS: &str = "/api/worlds/t/tool-results";
const MODEL_VIEW: &str = "/v1/threads/t/messages?for=model&format=openai";

/// The requests that the web client shows: of chunks after the start of their message, and from 5 November 2025 of messages.
fn shown_requests(events: &[Value], reads_messages: bool) -> Vec<Value> {
    let mut started = Vec::new();
    let mut shown = Vec::new();
    for event in events {
        let data = &event["data"];
        let calls = match (text(&event["type"]), text(&data["type"])) {
            ("sse", "start") => {
                started.push(data["messageId"].clone());
                continue;
            }
            ("sse", "chunk") if started.contains(&data["messageId"]) => &data["tool_calls"],
            ("message", _) if reads_messages && data["sender"].is_string() => &data["tool_calls"],
            _ => continue,
        };
        let calls = calls.as_array().into_iter().flatten();
        for call in calls.filter(|call| call["function"]["name"] == "client.requestApproval") {
            let asked: Value = serde_json::from_str(text(&call["function"]["arguments"])).expect("JSON");
            let agent = data["agentName"].as_str().or(data["sender"].as_str());
            shown.push(json!({"id": call["id"], "asked": asked, "agent": agent}));
        }
    }
    shown
}

/// A person says something, and the agent stores its own message and tries its tool. Returns what the client reads.
async fn asks(world: &HttpWorld) -> Vec<Value> {
    let (a1, ada) = (world.agent("a1"), world.person("ada"));
    let mut turn = ada.posts_for_stream(MESSAGES, say("@a1, list files")).await;
    let call = json!({"id": "tool_1", "type": "function", "function": {"name": "shell_cmd", "arguments": "{\"command\":\"ls\"}"}});
    says_as_agent(world, json!({"role": "assistant", "content": "I look.", "tool_calls": [call]})).await;
    assert_eq!(flags(&a1.post(CHECK, shell_cmd("tool_1", "ls")).await).0, json!(true));
    read_all(&mut turn).await
}

async fn says_as_agent(world: &HttpWorld, message: Value) {
    let body = json!({"format": "openai", "message": message}).to_string();
    let added = world.agent("a1").post("/v1/threads/t/messages", body).await;
    assert!(added.status < 300, "{added}");
}

/// The client sends its decision; the agent's next try runs; the client reads the agent's answer.
async fn decides_and_reads(world: &HttpWorld, path: &str, body: Value) -> Vec<Value> {
    let (a1, ada) = (world.agent("a1"), world.person("ada"));
    let mut turn = ada.posts_for_stream(path, body.to_string()).await;
    let again = a1.post(CHECK, shell_cmd("tool_2", "ls")).await;
    assert_eq!((flags(&again).1, again.text("call.id")), (json!(true), "tool_1".to_owned()), "{again}");
    a1.claims("tool_1").await;
    a1.finishes("tool_1").await;
    says_as_agent(world, json!({"role": "assistant", "content": "There are two files."})).await;
    let events = read_all(&mut turn).await;
    let last = events.last().expect("an event");
    let read = (&last["type"], &last["data"]["sender"], &last["data"]["content"], &last["data"]["role"]);
    assert_eq!(read, (&json!("message"), &json!("a1"), &json!("There are two files."), &json!("assistant")));
    events
}

/// What a model reads: its own call with the result, and nothing of the approval.
async fn model_reads_its_call(world: &HttpWorld, said: &[&str]) {
    let view = world.agent("a1").get(MODEL_VIEW).await;
    let messages = view.value("messages");
    let all: Vec<_> = messages.as_array().expect("messages").iter().collect();
    let spoken: Vec<_> = all
        .iter()
        .filter(|message| message["role"] == "user")
        .map(|message| text(&message["content"]))
        .collect();
    assert_eq!(spoken, said, "{view}");
    assert!(
        all.iter().any(|message| message["tool_calls"][0]["id"] == "tool_1"),
        "it keeps its call: {view}"
    );
    assert!(!view.body.contains("requestApproval") && !view.body.contains("__type"), "{view}");
}

/// 4 November 2025: the client sends what the person said again, with the decision as the only message.
#[tokio::test]
async fn web_client_of_4_november_2025() {
    over_http(ASK, async |world| {
        let events = asks(world).await;
        let shown = shown_requests(&events, false);
        let [request] = shown.as_slice() else { panic!("{shown:?}") };
        assert_eq!(
            request["asked"]["originalToolCall"],
            json!({"id": "tool_1", "name": "shell_cmd", "args": {"command": "ls"}})
        );
        let decision = json!({"decision": "approve", "scope": "once", "toolName": "shell_cmd"}).to_string();
        let decision = json!({"role": "tool", "tool_call_id": request["id"], "content": decision});
        let body = json!({"message": "@a1, list files", "sender": "HUMAN", "messages": [decision]});
        decides_and_reads(world, MESSAGES, body).await;
        model_reads_its_call(world, &["@a1, list files"]).await;
    })
    .await;
}

/// 5 November 2025: the client and the CLI answer in words that mention the agent.
#[tokio::test]
async fn clients_of_5_november_2025() {
    over_http(ASK, async |world| {
        let events = asks(world).await;
        let shown = shown_requests(&events, true);
        assert_eq!((shown.len(), &shown[0]), (2, &shown[1]), "the chunk and the message ask the same");
        let message = &events.last().expect("a message")["data"];
        assert_eq!(
            (&message["role"], &message["sender"]),
            (&json!("assistant"), &json!("a1")),
            "the CLI reads these"
        );
        let words = format!("@{}, approve_once shell_cmd", text(&shown[0]["agent"]));
        decides_and_reads(world, MESSAGES, json!({"message": words, "sender": "HUMAN"})).await;
        model_reads_its_call(world, &["@a1, list files", "@a1, approve_once shell_cmd"]).await;
    })
    .await;
}

/// 6 November 2025: the client and the CLI write a result as text.
#[tokio::test]
async fn clients_of_6_november_2025() {
    over_http(ASK, async |world| {
        let shown = shown_requests(&asks(world).await, true);
        let decision = json!({"decision": "approve", "scope": "once", "toolName": "shell_cmd"}).to_string();
        let result = json!({
            "__type": "tool_result", "tool_call_id": shown[0]["id"], "agentId": shown[0]["agent"], "content": decision,
        });
        decides_and_reads(world, MESSAGES, json!({"message": result.to_string(), "sender": "HUMAN"})).await;
        model_reads_its_call(world, &["@a1, list files"]).await;
    })
    .await;
}

/// The body with which the client of v0.9.0 answers a request.
fn result_of(request: &Value, decision: &str, scope: Option<&str>) -> Value {
    let mut body = json!({
        "tool_call_id": request["id"], "decision": decision, "toolName": "shell_cmd",
        "toolArgs": request["asked"]["originalToolCall"]["args"], "agentId": request["agent"], "stream": true,
    });
    if let Some(scope) = scope {
        body["scope"] = json!(scope);
    }
    body
}

/// v0.9.0 (14 November 2025): the client has a route for decisions.
#[tokio::test]
async fn web_client_of_v0_9_0() {
    over_http(ASK, async |world| {
        let shown = shown_requests(&asks(world).await, true);
        let body = result_of(&shown[0], "approve", Some("once"));
        let events = decides_and_reads(world, RESULTS, body).await;
        let data = json!({"tool_call_id": "approval_tool_1", "agentId": "a1", "decision": "approve", "scope": "once"});
        assert_eq!(events[0], json!({"type": "tool-result-submitted", "data": data}));
        model_reads_its_call(world, &["@a1, list files"]).await;
    })
    .await;
}

/// The CLI of v0.9.0 gives the call's own id.
#[tokio::test]
async fn result_names_the_call_or_its_request() {
    over_http(ASK, async |world| {
        let shown = shown_requests(&asks(world).await, true);
        let mut body = result_of(&shown[0], "deny", None);
        (body["tool_call_id"], body["stream"]) = (json!("tool_1"), json!(false));
        let report = world.person("ada").post(RESULTS, body.to_string()).await;
        assert_eq!(report.text("decisions.0.outcome"), "decided", "{report}");
        assert_eq!(world.agent("a1").call("tool_1").await.text("state"), "denied");
    })
    .await;
}

#[tokio::test]
async fn result_for_another_call_decides_nothing() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        let request = shown_requests(&asks(world).await, true).remove(0);
        let posts = async |member: &str, value: Value| {
            let mut body = result_of(&request, "approve", Some("once"));
            body["stream"] = json!(false);
            body[member] = value;
            ada.post(RESULTS, body.to_string()).await
        };
        let other_agent = posts("agentId", json!("a2")).await;
        assert_eq!(
            (other_agent.status, other_agent.text("code")),
            (422, "invalid".to_owned()),
            "{other_agent}"
        );
        for (member, value, code) in [
            ("toolArgs", json!({"command": "rm -r /"}), "arguments_changed"),
            ("toolName", json!("deploy"), "tool_changed"),
            ("workingDirectory", json!("/tmp"), "invalid"),
            ("scope", json!("unlimited"), "invalid"),
            ("tool_call_id", json!("approval_tool_9"), "unknown_call"),
        ] {
            let report = posts(member, value).await;
            assert_eq!(report.text("decisions.0.code"), code, "{report}");
        }
        let own = world.agent("a1").post(RESULTS, result_of(&request, "approve", None).to_string()).await;
        assert!(!own.body.contains("tool-result-submitted"), "an agent decides nothing: {own}");
        assert_eq!(world.agent("a1").call("tool_1").await.text("state"), "pending");
        // Not the same: what an agent sent once is nobody's decision.
        assert_eq!(posts("decision", json!("deny")).await.text("decisions.0.outcome"), "decided");
    })
    .await;
}

/// A history that is not the beginning of what is stored goes to the end, and replaces nothing.
#[tokio::test]
async fn history_of_a_client_replaces_nothing() {
    over_http(ASK, async |world| {
        let (a1, ada) = (world.agent("a1"), world.person("ada"));
        let request = shown_requests(&asks(world).await, true).remove(0);
        let decision = json!({"role": "tool", "tool_call_id": request["id"], "content": "approve_once"});
        let user = |said: &str| json!({"role": "user", "content": said});
        let lengths = async |messages: Value| {
            let body = json!({"messages": messages, "stream": false}).to_string();
            let report = ada.post(MESSAGES, body).await;
            assert_eq!(report.status, 200, "{report}");
            report.value("length")
        };
        assert_eq!(
            lengths(json!([user("@a1, list files"), decision])).await,
            json!(3),
            "without the agent's message"
        );
        assert_eq!(lengths(json!([user("@a1, list files"), decision])).await, json!(3), "sent again");
        assert_eq!(lengths(json!([user("hello")])).await, json!(4), "of another beginning");
        assert_eq!(a1.call("tool_1").await.text("state"), "allowed");
        model_reads_its_call(world, &["@a1, list files", "hello"]).await;
    })
    .await;
}

#[tokio::test]
async fn result_that_cannot_be_read_is_not_stored() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        let broken = json!({"__type": "tool_result", "content": "x"}).to_string();
        for body in [
            json!({"message": broken}),
            json!({"messages": [{"role": "user", "content": format!("@a1, {broken}")}]}),
        ] {
            let refused = ada.post(MESSAGES, body.to_string()).await;
            assert_eq!((refused.status, refused.text("code")), (422, "invalid".to_owned()), "{refused}");
        }
        assert_eq!(ada.get(MESSAGES).await.value("messages"), json!([]));
    })
    .await;
}

/// Each phrase that a view offers decides the call beside which it stands.
#[tokio::test]
async fn printed_phrases_decide_their_calls() {
    over_http(ASK, async |world| {
        let (a1, ada) = (world.agent("a1"), world.person("ada"));
        let mut decided = Vec::new();
        // The session's approval comes last, because it answers what follows.
        for (round, order) in [0, 2, 1].into_iter().enumerate() {
            for n in 1..=2 {
                a1.post(CHECK, shell_cmd(&format!("call_{round}{n}"), &format!("ls {round}{n}"))).await;
            }
            let view = ada.get("/v1/threads/t/messages?for=client&format=plain").await;
            let asked =
                view.value("messages").as_array().expect("messages").last().expect("a request").clone();
            let phrases: Vec<_> = text(&asked["text"])
                .split('"')
                .filter(|part| part.contains(" call_"))
                .map(str::to_owned)
                .collect();
            assert_eq!(phrases.len(), 3, "{asked}");
            let body =
                json!({"format": "plain", "message": {"role": "user", "text": phrases[order]}}).to_string();
            let report = ada.post("/v1/threads/t/messages", body).await;
            assert_eq!(report.text("decisions.0.id"), format!("call_{round}2"), "{report}");
            decided.push(report.text("decisions.0.decision"));
            ada.post(&format!("/v1/threads/t/approvals/call_{round}1"), r#"{"decision":"deny"}"#).await;
        }
        assert_eq!(decided, ["allow_once", "deny", "allow_session"]);
    })
    .await;
}
