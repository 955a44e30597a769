//! Each way in which an agent might approve its own call, by name.

use super::start;
use crate::own_server::OwnServer;
use countersign_events::Role;
use countersign_tests::{HttpAnswer, in_time};
use insta::assert_snapshot;
use reqwest::Method;

/// Runs an attempt with the agent's token against its pending call `t/a`, which must stay pending.
async fn attempt(work: impl AsyncFnOnce(&OwnServer, &str)) {
    in_time(Box::pin(async {
        let server = start().await;
        let agent = server.token("bot", Role::Agent).await;
        assert_eq!(server.proposes(&agent, "t", "a").await.text("state"), "pending");
        work(&server, &agent).await;
        let call = server.asks(&agent, Method::GET, "/v1/threads/t/tool-calls/a", "").await;
        assert_eq!(call.text("state"), "pending", "{call}");
        server.end().await;
    }))
    .await;
}

#[tokio::test]
async fn agent_decides_with_its_token() {
    attempt(async |server, agent| {
        assert_snapshot!(server.decides(agent, "t", "a").await, @"403 not_permitted: the role agent may not decide");
    })
    .await;
}

#[tokio::test]
async fn agent_names_a_person_in_headers() {
    attempt(async |server, agent| {
        for header in ["countersign-principal", "x-forwarded-user", "x-forwarded-for", "from", "x-user"] {
            let path = "/v1/threads/t/approvals/a";
            let request = server.request_with(agent, &Method::POST, path, r#"{"decision":"allow_once"}"#);
            let answer = HttpAnswer::to(request.header(header, "user:ada")).await;
            assert_eq!(answer.text("code"), "not_permitted", "{header}: {answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn agent_names_a_person_in_the_body() {
    attempt(async |server, agent| {
        let approver = server.token("ada", Role::Approver).await;
        for token in [agent, approver.as_str()] {
            let body = r#"{"decision":"allow_once","principal":"user:ben"}"#;
            let answer = server.asks(token, Method::POST, "/v1/threads/t/approvals/a", body).await;
            assert!([403, 422].contains(&answer.status), "{answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn agent_leaves_its_token_out() {
    attempt(async |server, _| {
        let request = server.request(Method::POST, "/v1/threads/t/approvals/a");
        let request = request.header("content-type", "application/json");
        let answer = HttpAnswer::to(request.body(r#"{"decision":"allow_once"}"#)).await;
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, "Bearer realm=\"countersign\""));
    })
    .await;
}

#[tokio::test]
async fn agent_signs_in_as_a_browser() {
    attempt(async |server, agent| {
        let body = format!(r#"{{"token":"{agent}"}}"#);
        let answer = server.asks(agent, Method::POST, "/v1/sessions", &body).await;
        assert_eq!(answer.text("code"), "not_permitted");
        let request = server.request(Method::POST, "/v1/threads/t/approvals/a");
        let cookie = format!("countersign_session_{}={agent}", server.port());
        let request = request.header("cookie", cookie).header("countersign-page-key", "0".repeat(40));
        let request = request.header("content-type", "application/json");
        assert_eq!(HttpAnswer::to(request.body(r#"{"decision":"allow_once"}"#)).await.status, 401);
    })
    .await;
}

#[tokio::test]
async fn agent_creates_an_approver() {
    attempt(async |server, agent| {
        let body = r#"{"name":"puppet","role":"approver"}"#;
        assert_eq!(server.asks(agent, Method::POST, "/v1/tokens", body).await.text("code"), "not_permitted");
    })
    .await;
}

#[tokio::test]
async fn agent_changes_policy_mode_or_grants() {
    attempt(async |server, agent| {
        let hash = server.gate.policy_in_force().expect("a policy").hash();
        let policy = format!(r#"{{"text":"default = \"allow\"","source":"me","replaces":"{hash}"}}"#);
        for (method, path, body) in [
            (Method::PUT, "/v1/policy", policy.as_str()),
            (Method::PUT, "/v1/threads/t/mode", r#"{"mode":"approve_all"}"#),
            (Method::PUT, "/v1/threads/t/policy", r#"{"tools":{"bash":"allow"}}"#),
            (Method::DELETE, "/v1/threads/t/grants/1", ""),
            (Method::POST, "/v1/threads/t/tool-calls/a/release", "{}"),
            (
                Method::POST,
                "/v1/approvals/decide",
                r#"{"decisions":[{"threadId":"t","id":"a","decision":"allow_once"}]}"#,
            ),
        ] {
            let answer = server.asks(agent, method, path, body).await;
            assert_eq!(answer.text("code"), "not_permitted", "{path}: {answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn agent_changes_its_token() {
    attempt(async |server, agent| {
        let other = server.token("ada", Role::Approver).await;
        let id = other.split('_').nth(1).expect("an id");
        let own_id = agent.split('_').nth(1).expect("an id");
        for forged in [agent.replace(own_id, id), format!("{agent}x"), agent.to_uppercase(), String::new()] {
            let answer = server.decides(&forged, "t", "a").await;
            assert_eq!(answer.status, 401, "{forged}: {answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn agent_claims_before_the_decision() {
    attempt(async |server, agent| {
        let call = server.asks(agent, Method::GET, "/v1/threads/t/tool-calls/a", "").await;
        let body = format!(r#"{{"executor":"me","argumentsHash":{}}}"#, call.member("argumentsHash"));
        let answer = server.asks(agent, Method::POST, "/v1/threads/t/tool-calls/a/claim", &body).await;
        assert_eq!(answer.text("code"), "not_allowed");
    })
    .await;
}

#[tokio::test]
async fn agent_with_an_approvers_name_stays_an_agent() {
    attempt(async |server, _| {
        let twin = server.token("ada", Role::Agent).await;
        assert_eq!(server.decides(&twin, "t", "a").await.text("code"), "not_permitted");
        assert_eq!(server.asks(&twin, Method::GET, "/v1/me", "").await.text("agent"), "agent:ada");
    })
    .await;
}
