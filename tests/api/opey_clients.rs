//! The versions of Opey's real client: what each sends, from message to result, and what it reads. The requests are our own, from
//! the facts of `RestChatService` and `ChatController` (OpenBankProject/OBP-Portal, and OBP-Frontend since March 2026).
//! `tests/clients/run` runs the clients themselves.

use crate::ASK;
use countersign_tests::{EventStreamReader, over_http};
use serde_json::{Value, json};
use std::time::Duration;

const STREAM: &str = "/stream";

/// A version of the client.
struct OpeyClient {
    version: &'static str,
    /// Whether decisions go to `/stream`, and not to `/approval/{thread}`.
    decides_in_chat: bool,
    /// The members of the decision besides the call and the word.
    level: Value,
    /// The event that ends a call for it.
    end: &'static str,
    /// The id that it gives its message.
    correlation: Option<&'static str>,
}

fn clients() -> [OpeyClient; 5] {
    let client = |version, decides_in_chat, level, end, correlation| OpeyClient {
        version,
        decides_in_chat,
        level,
        end,
        correlation,
    };
    [
        client("8a46df5, 15 August 2025", false, json!({}), "tool_end", None),
        client("871874a, 9 September 2025", false, json!({}), "tool_complete", None),
        client(
            "92d6212, 13 October 2025",
            false,
            json!({"level": "user", "approval_level": "user"}),
            "tool_complete",
            None,
        ),
        client("cd2ab97, 20 October 2025", true, json!({"level": "user"}), "tool_complete", None),
        client("948f4ff, 30 April 2026", true, json!({"level": "once"}), "tool_complete", Some("5f1c")),
    ]
}

impl OpeyClient {
    fn message(&self) -> String {
        let text = format!("Delete it, says {}", self.version);
        let mut body = json!({"message": text, "thread_id": "t", "stream_tokens": true});
        if let Some(id) = self.correlation {
            body["correlation_id"] = json!(id);
        }
        body.to_string()
    }

    /// The path and the body of a decision.
    fn decision(&self, call: &str, word: &str) -> (&'static str, String) {
        let mut decision = json!({"tool_call_id": call, "approval": word});
        for (name, value) in self.level.as_object().expect("members") {
            decision[name] = value.clone();
        }
        if !self.decides_in_chat {
            return ("/approval/t", decision.to_string());
        }
        (STREAM, json!({"message": "", "thread_id": "t", "tool_call_approval": decision}).to_string())
    }
}

/// Reads until an event of this type.
async fn find(stream: &mut EventStreamReader, kind: &str) -> Value {
    loop {
        let event = stream.data().await.unwrap_or_else(|| panic!("the stream ended without {kind}"));
        if event["type"] == kind {
            return event;
        }
    }
}

fn write_message(text: &str) -> String {
    json!({"format": "openai", "message": {"role": "assistant", "content": text}}).to_string()
}

fn batch(decisions: &Value) -> String {
    json!({"message": "", "thread_id": "t", "tool_call_approval": {"batch_decisions": decisions}}).to_string()
}

#[tokio::test]
async fn each_opey_client_comes_from_message_to_result() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for (number, client) in clients().iter().enumerate() {
            let id = format!("call_{number}");
            let mut chat = ada.posts_for_stream(STREAM, client.message()).await;
            assert_eq!(chat.header("x-thread-id"), "t");
            if let Some(correlation) = client.correlation {
                assert_eq!(find(&mut chat, "user_message_confirmed").await["correlation_id"], correlation);
            }
            builder.proposes(&id).await;
            let request = find(&mut chat, "approval_request").await;
            assert_eq!([&request["tool_call_id"], &request["tool_name"]], [&json!(id), &json!("bash")]);
            assert_eq!(request["tool_input"], json!({"command": "ls"}));
            assert!(request["description"].is_string() && request["message"] == request["description"]);
            world.clock().advance(Duration::from_secs(1));
            assert_eq!(chat.data().await, None, "the client answers by its next request");
            let (path, body) = client.decision(&id, "approve");
            let mut answer = ada.posts_for_stream(path, body).await;
            builder.claims(&id).await;
            assert_eq!(find(&mut answer, "tool_start").await["tool_input"], json!({"command": "ls"}));
            builder.finishes(&id).await;
            let end = find(&mut answer, client.end).await;
            assert_eq!(
                [&end["tool_call_id"], &end["status"]],
                [&json!(id), &json!("success")],
                "{}",
                client.version
            );
            assert!(!end["tool_output"].is_null());
            if client.decides_in_chat {
                builder.post("/v1/threads/t/messages", write_message(client.version)).await;
                assert_eq!(find(&mut answer, "assistant_token").await["content"], client.version);
                assert!(answer.message().await.contains("assistant_complete"));
            }
            // The client of September reads both names of the end.
            let mut last = answer.message().await;
            if last.contains("tool_end") {
                last = answer.message().await;
            }
            assert_eq!(last, "data: [DONE]", "{}", client.version);
        }
    })
    .await;
}

#[tokio::test]
async fn each_opey_client_denies() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for (number, client) in clients().iter().enumerate() {
            let id = format!("call_{number}");
            builder.proposes_unlike_others(&id).await;
            let (path, body) = client.decision(&id, "deny");
            let mut answer = ada.posts_for_stream(path, body).await;
            let end = find(&mut answer, client.end).await;
            assert_eq!([&end["tool_call_id"], &end["status"]], [&json!(id), &json!("error")]);
            assert!(end["tool_output"].as_str().expect("text").starts_with("Denied by user:ada"));
        }
    })
    .await;
}

#[tokio::test]
async fn several_requests_are_one_batch() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["a", "b", "c"] {
            builder.proposes_unlike_others(id).await;
        }
        let mut chat = ada.posts_for_stream(STREAM, r#"{"message":"and?","thread_id":"t"}"#).await;
        let asked = find(&mut chat, "batch_approval_request").await;
        let ids: Vec<_> = asked["tool_calls"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|call| &call["tool_call_id"])
            .collect();
        assert_eq!(ids, ["a", "b", "c"]);
        assert_eq!(asked["options"], json!(["approve_all", "deny_all", "approve_selected"]));
        world.clock().advance(Duration::from_secs(1));
        assert_eq!(chat.data().await, None, "the client answers by its next request");
        let decisions =
            json!({"a": {"approved": true, "level": "once"}, "b": {"approved": false, "level": "once"}});
        let mut answer = ada.posts_for_stream(STREAM, batch(&decisions)).await;
        let denied = find(&mut answer, "tool_complete").await;
        assert_eq!([&denied["tool_call_id"], &denied["status"]], ["b", "error"]);
        builder.claims("a").await;
        builder.finishes("a").await;
        assert_eq!(find(&mut answer, "tool_complete").await["tool_call_id"], "a");
        let end = answer.next().await;
        assert_eq!(end.as_deref(), Some("data: [DONE]"), "c waits for a decision, whose stream tells of it");
        let decisions = json!({"batch_decisions": {"c": {"approved": false}}}).to_string();
        let mut other = ada.posts_for_stream("/approval/t", decisions).await;
        assert_eq!(find(&mut other, "tool_complete").await["tool_call_id"], "c");
    })
    .await;
}

#[tokio::test]
async fn stream_tells_of_its_own_decision() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["a", "b"] {
            builder.proposes_unlike_others(id).await;
        }
        let approve = |id: &str| batch(&json!({id: {"approved": true}}));
        let mut first = ada.posts_for_stream(STREAM, approve("a")).await;
        let mut second = ada.posts_for_stream(STREAM, approve("b")).await;
        for id in ["b", "a"] {
            builder.claims_as(id, "worker").await;
        }
        assert_eq!(find(&mut first, "tool_start").await["tool_call_id"], "a");
        assert_eq!(find(&mut second, "tool_start").await["tool_call_id"], "b");
    })
    .await;
}

#[tokio::test]
async fn refusal_in_a_batch_is_an_error_event() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        let decisions = json!({"a": {"approved": false}, "unknown": {"approved": true}});
        let mut answer = ada.posts_for_stream(STREAM, batch(&decisions)).await;
        let error = find(&mut answer, "error").await;
        assert_eq!(error["error"], "unknown: thread t has no call unknown");
        assert_eq!(error["error"], error["error_message"]);
        assert_eq!(find(&mut answer, "tool_complete").await["tool_call_id"], "a");
        let all = ada.post(STREAM, batch(&json!({"unknown": {"approved": true}}))).await;
        assert_eq!((all.status, all.text("code").as_str()), (404, "unknown_call"), "nothing was decided");
    })
    .await;
}

/// The client shows `error` or `message`, and for a 422 the `msg` of the first `detail`.
#[tokio::test]
async fn refusals_have_what_the_client_shows() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        let two = r#"{"tool_call_id":"a","approval":"approve","level":"user","approval_level":"admin"}"#;
        let refused = ada.post("/approval/t", two).await;
        let why = r#"level: is "user", and `approval_level` is "admin"; they are one level"#;
        assert_eq!((refused.status, refused.text("error").as_str()), (422, why));
        assert_eq!([refused.text("message"), refused.text("detail.0.msg")], [why, why]);
        let approve =
            json!({"thread_id": "t", "tool_call_approval": {"tool_call_id": "a", "approval": "approve"}});
        let by_agent = builder.post(STREAM, approve.to_string()).await;
        assert_eq!(
            (by_agent.status, by_agent.text("error").as_str()),
            (403, "the role agent may not decide")
        );
        assert_eq!(by_agent.text("detail"), by_agent.text("message"));
        ada.denies("a").await;
        let late = ada.post(STREAM, approve.to_string()).await;
        assert_eq!((late.status, late.text("code").as_str()), (409, "already_decided"));
        assert!(late.text("error").starts_with("decided already: deny by user:ada"));
        assert_eq!(ada.post(STREAM, r#"{"message":" "}"#).await.status, 422);
        let consent = r#"{"thread_id":"t","tool_call_approval":{"consent_jwt":"x"}}"#;
        assert_eq!(ada.post(STREAM, consent).await.status, 422, "a consent is not ours to give");
    })
    .await;
}

#[tokio::test]
async fn blocked_call_is_an_error_event() {
    let policy =
        "[[rule]]\nname = \"no shell\"\ntool = \"bash\"\nverdict = \"block\"\nreason = \"use a file\"";
    over_http(policy, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let mut chat = ada.posts_for_stream(STREAM, r#"{"message":"go","thread_id":"t"}"#).await;
        builder.proposes("a").await;
        let error = find(&mut chat, "error").await;
        assert!(error["error"].as_str().expect("text").contains("use a file"));
        world.clock().advance(Duration::from_mins(1));
        assert_eq!(chat.data().await, None, "a quiet stream ends");
    })
    .await;
}
