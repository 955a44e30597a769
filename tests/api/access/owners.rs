//! What belongs to a call's proposer, to its executor, and to a token's holder.

use super::start;
use countersign_events::{Role, TokenKind};
use countersign_tests::{HttpAnswer, in_time};
use reqwest::Method;

#[tokio::test]
async fn call_is_ended_by_its_executor_alone() {
    in_time(async {
        let server = start().await;
        let (agent, other) =
            (server.token("bot", Role::Agent).await, server.token("other", Role::Agent).await);
        let call = r#"{"id":"a","name":"task-list","arguments":{}}"#;
        let proposed = server.asks(&agent, Method::POST, "/v1/threads/t/tool-calls", call).await;
        let claim =
            format!(r#"{{"executor":"worker","argumentsHash":"{}"}}"#, proposed.text("argumentsHash"));
        assert_eq!(
            server.asks(&agent, Method::POST, "/v1/threads/t/tool-calls/a/claim", &claim).await.status,
            200
        );
        let path = "/v1/threads/t/tool-calls/a/result";
        for body in [
            r#"{"status":"success","content":"forged"}"#,
            r#"{"status":"success","content":"forged","executor":"worker"}"#,
        ] {
            let refused = server.asks(&other, Method::POST, path, body).await;
            assert_eq!((refused.status, &*refused.text("code")), (409, "not_the_executor"), "{refused}");
        }
        let done = server.asks(&agent, Method::POST, path, r#"{"status":"success","content":"done"}"#).await;
        assert_eq!(done.status, 200, "{done}");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn heartbeat_of_another_agent_is_refused() {
    in_time(async {
        let server = start().await;
        let (agent, other) =
            (server.token("bot", Role::Agent).await, server.token("other", Role::Agent).await);
        server.proposes(&agent, "t", "a").await;
        let path = "/v1/threads/t/tool-calls/a/heartbeat";
        let refused = server.asks(&other, Method::POST, path, "{}").await;
        assert_eq!((refused.status, &*refused.text("code")), (403, "not_permitted"), "{refused}");
        assert_eq!(server.asks(&agent, Method::POST, path, "{}").await.status, 200);
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn wait_of_another_caller_shows_no_agent() {
    in_time(async {
        let server = start().await;
        let agent = server.token("bot", Role::Agent).await;
        let ada = server.token("ada", Role::Approver).await;
        server.proposes(&agent, "t", "a").await;
        let waits = async |token: &str| {
            let path = "/v1/threads/t/tool-calls/a";
            let request = server.request_with(token, &Method::GET, path, "").header("prefer", "wait=1");
            HttpAnswer::to(request).await
        };
        assert!(!waits(&ada).await.body.contains("proposerLastSeenAt"));
        let seen = server.asks(&agent, Method::GET, "/v1/threads/t/approvals/pending", "").await;
        assert!(!seen.body.contains("proposerLastSeenAt"), "{seen}");
        waits(&agent).await;
        let seen = server.asks(&agent, Method::GET, "/v1/threads/t/approvals/pending", "").await;
        assert!(seen.body.contains("proposerLastSeenAt"), "{seen}");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn wait_ends_when_its_token_is_revoked() {
    in_time(async {
        let server = start().await;
        let agent = server.token("bot", Role::Agent).await;
        let admin = server.token("root", Role::Admin).await;
        server.proposes(&agent, "t", "a").await;
        let request = server
            .request_with(&agent, &Method::GET, "/v1/threads/t/tool-calls/a", "")
            .header("prefer", "wait=3600");
        let waiting = tokio::spawn(HttpAnswer::to(request));
        while !server
            .asks(&admin, Method::GET, "/metrics", "")
            .await
            .body
            .contains("countersign_http_waits 1\n")
        {
            tokio::task::yield_now().await;
        }
        let id = agent.split('_').nth(1).expect("an id");
        let revoked = server.asks(&admin, Method::POST, &format!("/v1/tokens/{id}/revoke"), "{}").await;
        assert_eq!(revoked.status, 200, "{revoked}");
        let answer = waiting.await.expect("no panic");
        assert_eq!((answer.status, &*answer.text("code")), (401, "unauthenticated"), "{answer}");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn limited_approver_sees_tools_of_its_threads() {
    in_time(async {
        let server = start().await;
        let agent = server.token("bot", Role::Agent).await;
        for (thread, tool) in [("ci/1", "deploy"), ("hr/1", "payroll")] {
            let call = format!(
                r#"{{"id":"a","name":"{tool}","arguments":{{}},"definition":{{"description":"of {tool}"}}}}"#
            );
            let path = format!("/v1/threads/{}/tool-calls", thread.replace('/', "%2F"));
            let proposed = server.asks(&agent, Method::POST, &path, &call).await;
            assert!(proposed.status < 300, "{proposed}");
        }
        let limited = server.creates_token("ada", Role::Approver, &["ci/*"], TokenKind::Token).await;
        let listed = server.asks(&limited, Method::GET, "/v1/tools", "").await;
        assert!(listed.body.contains("deploy") && !listed.body.contains("payroll"), "{listed}");
        assert_eq!(server.asks(&limited, Method::GET, "/v1/tools/deploy", "").await.status, 200);
        let hidden = server.asks(&limited, Method::GET, "/v1/tools/payroll", "").await;
        assert_eq!((hidden.status, &*hidden.text("code")), (404, "unknown_tool"), "{hidden}");
        let all = server.token("bea", Role::Approver).await;
        assert!(server.asks(&all, Method::GET, "/v1/tools", "").await.body.contains("payroll"));
        server.end().await;
    })
    .await;
}
