//! Threads that a token does not see, and streams whose credential ends.

use super::start;
use countersign_api::{self as api, SendOperation, operations};
use countersign_events::{Principal, Role, TokenKind};
use countersign_tests::in_time;
use insta::assert_snapshot;
use reqwest::Method;
use serde_json::Value;

#[tokio::test]
async fn lists_and_streams_leave_out_hidden_threads() {
    in_time(async {
        let server = start().await;
        let agent = server.token("bot", Role::Agent).await;
        for (thread, id) in [("ci", "a"), ("prod", "b"), ("ci", "c")] {
            assert_eq!(server.proposes(&agent, thread, id).await.status, 201);
        }
        let all = server.asks(&agent, Method::GET, "/v1/events", "").await;
        assert!(all.body.contains("\"prod\"") && all.body.contains("\"ci\""), "{all}");
        assert!(!all.body.contains("POLICY_SET") && !all.body.contains("TOKEN_"), "{all}");
        let limited = server.creates_token("ada", Role::Approver, &["ci*"], TokenKind::Token).await;
        for path in ["/v1/approvals/pending", "/v1/tool-calls", "/v1/threads", "/v1/events"] {
            let answer = server.asks(&limited, Method::GET, path, "").await;
            assert_eq!(answer.status, 200, "{answer}");
            assert!(answer.body.contains("\"ci\""), "{path}: {answer}");
            assert!(!answer.body.contains("prod"), "{path}: {answer}");
            assert!(!answer.body.contains("POLICY_SET") && !answer.body.contains("TOKEN_"), "{path}: {answer}");
        }
        let body = r#"{"decisions":[{"threadId":"prod","id":"b","decision":"allow_once"},{"threadId":"ci","id":"a","decision":"deny"}]}"#;
        let decided = server.asks(&limited, Method::POST, "/v1/approvals/decide", body).await;
        let results: Value = serde_json::from_str(&decided.member("results")).expect("results");
        assert_eq!(results[0]["problem"]["code"], "unknown_thread", "{decided}");
        assert_eq!(results[1]["call"]["state"], "denied", "{decided}");
        let request = server.request_with(&limited, &Method::GET, "/v1/events", "");
        let mut stream = request.header("accept", "text/event-stream").send().await.expect("a stream");
        let mut text = String::new();
        while !text.contains("\"id\":\"c\"") {
            let chunk = stream.chunk().await.expect("the stream goes on").expect("a message");
            text.push_str(&String::from_utf8_lossy(&chunk));
        }
        assert!(!text.contains("prod") && !text.contains("TOKEN_"), "{text}");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn revocation_ends_an_open_stream() {
    in_time(async {
        let server = start().await;
        let token = server.token("ada", Role::Auditor).await;
        let request = server.request_with(&token, &Method::GET, "/v1/events", "");
        let mut response = request.header("accept", "text/event-stream").send().await.expect("a stream");
        response.chunk().await.expect("the stream begins").expect("a message");
        let id = token.split('_').nth(1).expect("an id").to_owned();
        let root = server.gate.acting_as(Principal::user("root"));
        root.send(operations::RevokeToken { id: id.clone(), body: api::RevokeTokenRequest::default() }).await.expect("revoked");
        let mut rest = String::new();
        while let Some(chunk) = response.chunk().await.expect("the stream ends") {
            rest.push_str(&String::from_utf8_lossy(&chunk));
        }
        assert!(rest.contains("event: error") && rest.contains("\"unauthenticated\""), "{rest}");
        assert_snapshot!(server.asks(&token, Method::GET, "/v1/me", "").await, @"401 unauthenticated: the token was revoked");
        server.end().await;
    })
    .await;
}
