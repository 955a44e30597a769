//! One person is one vote, however tokens and headers spell the name.

use super::start;
use crate::own_server::OwnServer;
use countersign_api::{self as api, SendOperation, operations};
use countersign_events::{Principal, Role};
use countersign_server::IdentityHeader;
use countersign_store::Clock;
use countersign_tests::{HttpAnswer, in_time, server_options};
use reqwest::Method;

const QUORUM: &str = "[[rule]]\nname = \"two\"\ntool = \"bash\"\nverdict = \"ask\"\nquorum = 2\n";

/// A server whose policy asks two people, behind a proxy that names its callers.
async fn start_with_quorum() -> OwnServer {
    let mut options = server_options(Clock::System);
    options.access.proxies = vec!["127.0.0.1".parse().expect("an address")];
    let name = "x-forwarded-user".parse().expect("a header");
    options.identity_header = Some(IdentityHeader { name, roles: vec![Role::Approver] });
    let server = OwnServer::start(options).await;
    let replaces = server.gate.send(operations::ShowPolicy {}).await.expect("a policy").hash;
    let policy = api::PolicyRequest {
        text: QUORUM.to_owned(),
        layers: Vec::default(),
        source: "test".to_owned(),
        replaces,
    };
    server
        .gate
        .acting_as(Principal::user("root"))
        .send(operations::ApplyPolicy { body: policy })
        .await
        .expect("applied");
    server
}

/// Decides as the person whom the proxy names, percent-encoded.
async fn decides_as(server: &OwnServer, name: &str) -> HttpAnswer {
    let request = server.request(Method::POST, "/v1/threads/t/approvals/a").header("x-forwarded-user", name);
    let request = request.header("content-type", "application/json");
    HttpAnswer::to(request.body(r#"{"decision":"allow_once"}"#)).await
}

async fn state(server: &OwnServer, agent: &str) -> String {
    server.asks(agent, Method::GET, "/v1/threads/t/tool-calls/a", "").await.text("state")
}

#[tokio::test]
async fn second_spelling_in_header_does_not_vote() {
    in_time(async {
        let server = start_with_quorum().await;
        let agent = server.token("bot", Role::Agent).await;
        server.proposes(&agent, "t", "a").await;
        let ada = server.token("ada", Role::Approver).await;
        assert_eq!(server.decides(&ada, "t", "a").await.status, 200);
        for spelling in ["Ada", "%EF%BD%81da", "user:ADA"] {
            let refused = decides_as(&server, spelling).await;
            assert_eq!(
                (refused.status, &*refused.text("code")),
                (409, "name_taken"),
                "{spelling}: {refused}"
            );
        }
        let list = decides_as(&server, "x,bob").await;
        assert_eq!((list.status, &*list.text("code")), (401, "unauthenticated"), "{list}");
        assert_eq!(state(&server, &agent).await, "pending");
        assert_eq!(decides_as(&server, "bob").await.status, 200);
        assert_eq!(state(&server, &agent).await, "allowed");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn two_headers_of_one_person_are_one_vote() {
    in_time(async {
        let server = start_with_quorum().await;
        let agent = server.token("bot", Role::Agent).await;
        server.proposes(&agent, "t", "a").await;
        assert_eq!(decides_as(&server, "zo%C3%AB").await.status, 200);
        let refused = decides_as(&server, "zoe%CC%88").await;
        assert_eq!((refused.status, &*refused.text("code")), (409, "name_taken"), "{refused}");
        assert_eq!(state(&server, &agent).await, "pending");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn token_in_another_spelling_is_not_created() {
    in_time(async {
        let server = start().await;
        let admin = server.token("root", Role::Admin).await;
        server.token("ada", Role::Approver).await;
        for (name, code) in [("Ada", "name_taken"), ("ａda", "name_taken"), ("x,ada", "invalid"), ("ada", "")]
        {
            let body = format!(r#"{{"name":"{name}","role":"approver"}}"#);
            let answer = server.asks(&admin, Method::POST, "/v1/tokens", &body).await;
            let found = if answer.status < 300 { String::new() } else { answer.text("code") };
            assert_eq!(found, code, "{name}: {answer}");
        }
        server.end().await;
    })
    .await;
}
