//! Names of threads and calls in a path: names that need percent-encoding, and names that are refused.

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

/// `a/b ü#?`, percent-encoded.
const ENCODED: &str = "a%2Fb%20%C3%BC%23%3F";

#[tokio::test]
async fn unicode_names_pass_through_the_whole_cycle() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let calls = format!("/v1/threads/{ENCODED}/tool-calls");
        let body = r#"{"id":"call/ü 100%2F?","name":"bash","arguments":{}}"#;
        let call = format!("{calls}/call%2F%C3%BC%20100%252F%3F");
        assert_eq!(builder.post(&calls, body).await.member("id"), r#""call/ü 100%2F?""#);
        let decide = call.replace("tool-calls", "approvals");
        assert_eq!(ada.post(&decide, r#"{"decision":"allow_once"}"#).await.status, 200);
        assert_snapshot!(ada.get(&call).await.fields(["threadId", "id", "state"]), @r#"
        200
        threadId: "a/b ü#?"
        id: "call/ü 100%2F?"
        state: "allowed"
        "#);
        let events = ada.get(&format!("/v1/threads/{ENCODED}/events?limit=1")).await;
        assert_snapshot!(events, @r#"
        200
        {
          "events": [
            {
              "seq": 2,
              "threadId": "a/b ü#?",
              "type": "TOOL_CALL",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "agent:builder",
              "data": {
                "id": "call/ü 100%2F?",
                "name": "bash",
                "arguments": {},
                "argumentsHash": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
              },
              "hash": "237dbc5a2accf9ab543294b5fb29e117901eec1caa307576d10e287f9684ce6b"
            }
          ],
          "next": 2,
          "tip": 4
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn unusable_name_in_a_path_is_refused() {
    over_http(ASK, async |world| {
        let get =
            async |path: &str| world.sends_raw(&format!("GET {path} HTTP/1.1\r\nHost: localhost")).await;
        assert_snapshot!(get("/v1/threads/a%00b/events").await, @"422 invalid: thread: it contains the control character U+0000");
        assert_snapshot!(get("/v1/threads/%2e%2e/events").await, @r#"422 invalid: thread: it is "." or "..", which cannot be used in a URL"#);
        assert_snapshot!(get("/v1/threads/t/tool-calls/%2E").await, @r#"422 invalid: id: it is "." or "..", which cannot be used in a URL"#);
        assert_snapshot!(get("/v1/threads/%ff/events").await, @"422 invalid: Invalid UTF-8 in `thread`");
        assert_snapshot!(get("/v1/threads/t/tool-calls/%1b[8m").await, @"422 invalid: id: it contains the control character U+001B");
        assert_snapshot!(get("/v1/threads//events").await, @"422 invalid: thread: it is empty");
        assert_snapshot!(get(&format!("/v1/threads/{}/events", "x".repeat(513))).await, @"422 invalid: thread: it has 513 bytes; the limit is 512");
    })
    .await;
}

/// The path `…/approvals/pending` is the list of pending calls, but a call with the id `pending` can be decided.
#[tokio::test]
async fn call_named_pending_is_decided_like_any_other() {
    over_http(ASK, async |world| {
        world.agent("builder").in_thread("pending").proposes("pending").await;
        let answer = world.person("ada").in_thread("pending").denies("pending").await;
        assert_eq!(answer.member("state"), r#""denied""#);
    })
    .await;
}
