//! Credentials: every endpoint by every role, and what a token, a session and solo mode give.

use crate::own_server::OwnServer;
use countersign_api::{self as api, ApprovalGate};
use countersign_gate::{
    Principal,
    event::{Role, TokenKind},
};
use countersign_server::ServerOptions;
use countersign_tests::{HttpAnswer, in_time};
use insta::assert_snapshot;
use reqwest::{Method, RequestBuilder};
use serde_json::Value;
use std::collections::BTreeMap;

/// What an endpoint needs. A new endpoint without a row fails the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    AnyCaller,
    Read,
    ReadOfAllThreads,
    ReadPolicy,
    Execute,
    Decide,
    DecideInAllThreads,
    Close,
    Administer,
}

const ENDPOINTS: &[(Needs, &[&str])] = &[
    (Needs::Nothing, &["getWelcome", "getHealth", "getDocument", "getReadiness", "signIn"]),
    (Needs::AnyCaller, &["getCaller", "signOut"]),
    (
        Needs::Read,
        &[
            "listPending",
            "listPendingOfThread",
            "listEvents",
            "listEventsOfThread",
            "listThreads",
            "getThread",
            "listGrants",
            "getMode",
            "getPolicies",
            "listCalls",
            "listCallsOfThread",
            "getCall",
        ],
    ),
    (Needs::ReadOfAllThreads, &["getMetrics", "getStats"]),
    (Needs::ReadPolicy, &["getPolicy", "listPolicies"]),
    (Needs::Execute, &["propose", "cancel", "claim", "renewClaim", "heartbeat", "finish"]),
    (
        Needs::Decide,
        &["decide", "decidePending", "decideAll", "stopThread", "revokeGrant", "release", "previewScope"],
    ),
    (Needs::DecideInAllThreads, &["stop"]),
    (Needs::Close, &["closeThread"]),
    (
        Needs::Administer,
        &["applyPolicy", "setMode", "setPolicies", "listTokens", "createToken", "revokeToken", "erase"],
    ),
    // An agent has no sessions, so only people sign out of them.
    (Needs::AnyCaller, &["signOutEverywhere"]),
];

/// A caller of the matrix: a role, and whether its token is limited to the thread `own`.
#[derive(Debug, Clone, Copy)]
struct MatrixCaller {
    role: Option<Role>,
    limited: bool,
}

impl MatrixCaller {
    fn has(self, needs: Needs) -> bool {
        let Some(role) = self.role else { return needs == Needs::Nothing };
        let is = |roles: &[Role]| roles.contains(&role);
        match needs {
            Needs::Nothing | Needs::AnyCaller | Needs::Read => true,
            Needs::ReadOfAllThreads => !self.limited,
            Needs::ReadPolicy => !is(&[Role::Agent]),
            Needs::Execute => is(&[Role::Agent]),
            Needs::Decide => is(&[Role::Approver]),
            Needs::DecideInAllThreads => is(&[Role::Approver]) && !self.limited,
            Needs::Close => is(&[Role::Agent, Role::Approver, Role::Admin]),
            Needs::Administer => is(&[Role::Admin]),
        }
    }
}

async fn start() -> OwnServer {
    OwnServer::start(ServerOptions::default()).await
}

impl OwnServer {
    async fn creates_token(&self, name: &str, role: Role, threads: &[&str], kind: TokenKind) -> String {
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
        root.create_token(&request).await.expect("a valid token").secret
    }

    async fn token(&self, name: &str, role: Role) -> String {
        self.creates_token(name, role, &[], TokenKind::Token).await
    }

    fn request_with(&self, token: &str, method: &Method, path: &str, body: &str) -> RequestBuilder {
        let request = self.request(method.clone(), path).header("authorization", format!("Bearer {token}"));
        if method == Method::GET || method == Method::DELETE {
            return request;
        }
        request.header("content-type", "application/json").body(body.to_owned())
    }

    async fn asks(&self, token: &str, method: Method, path: &str, body: &str) -> HttpAnswer {
        HttpAnswer::to(self.request_with(token, &method, path, body)).await
    }

    async fn proposes(&self, token: &str, thread: &str, id: &str) -> HttpAnswer {
        let body = format!(r#"{{"id":"{id}","name":"bash","arguments":{{"n":1}}}}"#);
        self.asks(token, Method::POST, &format!("/v1/threads/{thread}/tool-calls"), &body).await
    }

    async fn decides(&self, token: &str, thread: &str, id: &str) -> HttpAnswer {
        let path = format!("/v1/threads/{thread}/approvals/{id}");
        self.asks(token, Method::POST, &path, r#"{"decision":"allow_once"}"#).await
    }
}

/// The operations of the document: method, path and operation id.
fn operations(document: &str) -> Vec<(Method, String, String)> {
    let document: Value = serde_json::from_str(document).expect("JSON");
    let paths = document["paths"].as_object().expect("paths");
    let of_path = |(path, item): (&String, &Value)| {
        let methods = item.as_object().expect("operations").clone();
        let path = path.clone();
        methods.into_iter().map(move |(method, operation)| {
            let method = method.to_uppercase().parse().expect("a method");
            (method, path.clone(), operation["operationId"].as_str().expect("an id").to_owned())
        })
    };
    paths.iter().flat_map(of_path).collect()
}

fn needs_of(operation: &str) -> Needs {
    let found = ENDPOINTS.iter().find(|(_, operations)| operations.contains(&operation));
    found.unwrap_or_else(|| panic!("the endpoint {operation} has no row in the matrix")).0
}

/// The outcome of the access check: the code if it refused the request.
async fn access(server: &OwnServer, caller: MatrixCaller, method: &Method, path: &str) -> Option<String> {
    let globs: &[&str] = if caller.limited { &["own"] } else { &[] };
    let answer = match caller.role {
        None => {
            let request = server.request(method.clone(), path).header("content-type", "application/json");
            HttpAnswer::to(if *method == Method::GET { request } else { request.body("{}") }).await
        }
        Some(role) => {
            let token = server.creates_token("caller", role, globs, TokenKind::Token).await;
            server.asks(&token, method.clone(), path, "{}").await
        }
    };
    assert!(answer.status < 500, "{caller:?} {method} {path}: {answer}");
    let is_hidden = answer.status == 404 && answer.body.contains("or you do not see it");
    (answer.status == 401 || answer.status == 403 || is_hidden).then(|| answer.text("code"))
}

#[tokio::test]
async fn every_endpoint_obeys_every_role_and_thread() {
    in_time(Box::pin(async {
        let server = start().await;
        let document = HttpAnswer::to(server.request(Method::GET, "/openapi.json")).await.body;
        let roles = Role::ALL.iter().map(|role| Some(*role)).chain([None]);
        let callers: Vec<_> = roles
            .flat_map(|role| [false, true].map(|limited| MatrixCaller { role, limited }))
            // An admin administers all threads, and no one is limited without a token.
            .filter(|caller| !caller.limited || !matches!(caller.role, None | Some(Role::Admin)))
            .collect();
        let mut checked = BTreeMap::new();
        for (method, template, operation) in operations(&document) {
            let needs = needs_of(&operation);
            for thread in ["own", "foreign"] {
                let path = template.replace("{thread}", thread).replace("{id}", "c").replace("{seq}", "1");
                for caller in &callers {
                    let refused = access(&server, *caller, &method, &path).await;
                    let expected = match (caller.has(needs), caller.role) {
                        (false, None) => Some("unauthenticated"),
                        (false, Some(_)) => Some("not_permitted"),
                        (true, _)
                            if caller.limited && thread == "foreign" && template.contains("{thread}") =>
                        {
                            Some("unknown_thread")
                        }
                        // An agent has no sessions.
                        (true, Some(Role::Agent)) if operation == "signOutEverywhere" => {
                            Some("not_permitted")
                        }
                        (true, _) => None,
                    };
                    let expected = expected.map(str::to_owned);
                    assert_eq!(refused, expected, "{caller:?} in {thread}: {operation} ({method} {path})");
                    *checked.entry(needs as u8).or_insert(0) += 1;
                }
            }
        }
        assert_eq!(checked.len(), 10, "each kind of need was checked: {checked:?}");
        server.end().await;
    }))
    .await;
}

#[tokio::test]
async fn lists_and_streams_leave_out_hidden_threads() {
    in_time(async {
        let server = start().await;
        let agent = server.token("bot", Role::Agent).await;
        for (thread, id) in [("ci", "a"), ("prod", "b"), ("ci", "c")] {
            assert_eq!(server.proposes(&agent, thread, id).await.status, 201);
        }
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
        root.revoke_token(&id, &api::RevokeTokenRequest::default()).await.expect("revoked");
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

#[tokio::test]
async fn link_signs_in_once_with_a_closed_cookie() {
    in_time(async {
        let server = start().await;
        let link = server.creates_token("ada", Role::Approver, &[], TokenKind::Link).await;
        assert_eq!(server.asks(&link, Method::GET, "/v1/me", "").await.status, 401, "a link is no token");
        let sign_in = async || {
            let request = server.request(Method::POST, "/v1/sessions").header("content-type", "application/json");
            HttpAnswer::to(request.body(format!(r#"{{"token":"{link}"}}"#))).await
        };
        let signed_in = sign_in().await;
        assert_eq!(signed_in.status, 201, "{signed_in}");
        assert_eq!(signed_in.text("person"), "user:ada");
        let cookie = signed_in.header("set-cookie").to_owned();
        for attribute in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(attribute), "{cookie}");
        }
        assert_snapshot!(sign_in().await, @"409 link_used: the link was used before, and it signs in once; ask for another one");
        let pair = cookie.split(';').next().expect("a cookie").to_owned();
        let with_cookie = |method, path| server.request(method, path).header("cookie", &pair);
        assert_eq!(HttpAnswer::to(with_cookie(Method::GET, "/v1/approvals/pending")).await.status, 200);
        let foreign = with_cookie(Method::GET, "/v1/approvals/pending").header("sec-fetch-site", "cross-site");
        assert_eq!(HttpAnswer::to(foreign).await.text("code"), "foreign_origin");
        assert_eq!(HttpAnswer::to(with_cookie(Method::DELETE, "/v1/sessions/current")).await.status, 200);
        assert_eq!(HttpAnswer::to(with_cookie(Method::GET, "/v1/me")).await.status, 401, "signed out");
        server.end().await;
    })
    .await;
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
        let server = OwnServer::start(ServerOptions { solo: true, ..ServerOptions::default() }).await;
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

/// Each way in which an agent might approve its own call, by name.
mod agent_attempts {
    use super::*;

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
            assert_eq!(
                (answer.status, answer.header("www-authenticate")),
                (401, "Bearer realm=\"countersign\"")
            );
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
            let request = request.header("cookie", format!("countersign_session={agent}"));
            let request = request.header("content-type", "application/json");
            assert_eq!(HttpAnswer::to(request.body(r#"{"decision":"allow_once"}"#)).await.status, 401);
        })
        .await;
    }

    #[tokio::test]
    async fn agent_creates_an_approver() {
        attempt(async |server, agent| {
            let body = r#"{"name":"puppet","role":"approver"}"#;
            assert_eq!(
                server.asks(agent, Method::POST, "/v1/tokens", body).await.text("code"),
                "not_permitted"
            );
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
            for forged in
                [agent.replace(own_id, id), format!("{agent}x"), agent.to_uppercase(), String::new()]
            {
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
}
