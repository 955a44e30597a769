//! Credentials: every endpoint by every role, and what a token, a session and solo mode give.

mod agent_attempts;
mod matrix;
mod names;
mod owners;
mod sessions;
mod visibility;

use crate::own_server::OwnServer;
use countersign_api::{self as api, SendOperation, operations};
use countersign_events::{Principal, Role, TokenKind};
use countersign_server::ServerOptions;
use countersign_store::Clock;
use countersign_tests::{HttpAnswer, in_time, server_options};
use reqwest::{Method, RequestBuilder};

pub(super) async fn start() -> OwnServer {
    OwnServer::start(server_options(Clock::System)).await
}

impl OwnServer {
    pub(super) async fn creates_token(
        &self,
        name: &str,
        role: Role,
        threads: &[&str],
        kind: TokenKind,
    ) -> String {
        let request = api::TokenRequest {
            name: name.to_owned(),
            role,
            kind,
            level: None,
            groups: Vec::new(),
            threads: threads.iter().map(|glob| (*glob).to_owned()).collect(),
            expires_in_seconds: Some(3_600),
        };
        let root = self.gate.acting_as(Principal::user("root"));
        root.send(operations::CreateToken { body: request }).await.expect("a valid token").secret
    }

    pub(super) async fn token(&self, name: &str, role: Role) -> String {
        self.creates_token(name, role, &[], TokenKind::Token).await
    }

    pub(super) fn request_with(
        &self,
        token: &str,
        method: &Method,
        path: &str,
        body: &str,
    ) -> RequestBuilder {
        let request = self.request(method.clone(), path).header("authorization", format!("Bearer {token}"));
        if method == Method::GET || method == Method::DELETE {
            return request;
        }
        request.header("content-type", "application/json").body(body.to_owned())
    }

    pub(super) async fn asks(&self, token: &str, method: Method, path: &str, body: &str) -> HttpAnswer {
        HttpAnswer::to(self.request_with(token, &method, path, body)).await
    }

    pub(super) async fn proposes(&self, token: &str, thread: &str, id: &str) -> HttpAnswer {
        let body = format!(r#"{{"id":"{id}","name":"bash","arguments":{{"n":1}}}}"#);
        self.asks(token, Method::POST, &format!("/v1/threads/{thread}/tool-calls"), &body).await
    }

    pub(super) async fn decides(&self, token: &str, thread: &str, id: &str) -> HttpAnswer {
        let path = format!("/v1/threads/{thread}/approvals/{id}");
        self.asks(token, Method::POST, &path, r#"{"decision":"allow_once"}"#).await
    }
}

#[tokio::test]
async fn first_use_from_an_address_is_an_event() {
    in_time(async {
        let server = start().await;
        let token = server.token("bot", Role::Agent).await;
        for _ in 0..3 {
            assert_eq!(server.asks(&token, Method::GET, "/v1/me", "").await.status, 200);
        }
        let auditor = server.token("eve", Role::Auditor).await;
        let events =
            server.asks(&auditor, Method::GET, "/v1/events?type=TOKEN_USED&principal=agent:bot", "").await;
        assert_eq!(events.body.matches("\"TOKEN_USED\"").count(), 1, "{events}");
        assert!(events.body.contains(r#""address":"127.0.0.1""#), "{events}");
        assert!(!events.body.contains(&token), "no event contains a token");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn solo_caller_shows_in_every_event() {
    in_time(async {
        let server = OwnServer::start(ServerOptions { solo: true, ..server_options(Clock::System) }).await;
        let post = async |path: &str, body: &'static str| {
            let request = server.request(Method::POST, path).header("content-type", "application/json");
            HttpAnswer::to(request.body(body)).await
        };
        let call = r#"{"id":"a","name":"bash","arguments":{}}"#;
        let proposed = post("/v1/threads/t/tool-calls", call).await;
        assert!(proposed.body.contains("agent:local (solo)"), "{proposed}");
        let decided = post("/v1/threads/t/approvals/a", r#"{"decision":"allow_once"}"#).await;
        assert!(decided.body.contains("user:local (solo)"), "{decided}");
        let wrong = server.asks("csgn_wrong", Method::GET, "/v1/me", "").await;
        assert_eq!(wrong.status, 401, "a bad token is refused in solo mode too");
        server.end().await;
    })
    .await;
}
