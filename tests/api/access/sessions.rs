//! The sessions of browsers: how they start, how they are continued, and when they end. The test moves the clock.

use super::start;
use crate::own_server::OwnServer;
use countersign_events::{Role, Timestamp, TokenKind};
use countersign_server::ServerOptions;
use countersign_store::{Clock, ManualClock};
use countersign_tests::{HttpAnswer, in_time, server_options};
use insta::assert_snapshot;
use reqwest::{Method, RequestBuilder};
use std::{sync::Arc, time::Duration};

const HOUR: Duration = Duration::from_hours(1);

/// A millisecond less than so many hours.
fn just_under(hours: u64) -> Duration {
    Duration::from_millis(hours * 3_600_000 - 1)
}

/// Starts a server whose clock the test moves. Its streams send no heartbeat for a week.
async fn start_with_clock() -> (OwnServer, Arc<ManualClock>) {
    let (clock, manual) = Clock::manual(Timestamp::from_millis(1_769_860_800_000));
    let options = ServerOptions { heartbeat: 168 * HOUR, ..server_options(clock) };
    (OwnServer::start(options).await, manual)
}

/// What a browser keeps of a session: the cookie, and the key that only pages of the server's origin have.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BrowserSession {
    cookie: String,
    page_key: String,
}

impl BrowserSession {
    fn read(answer: &HttpAnswer) -> Self {
        let page_key = answer.header("countersign-page-key").to_owned();
        Self { cookie: cookie_pair(answer.header("set-cookie")), page_key }
    }

    /// The session with the cookie that an answer has set instead.
    fn continued_by(&self, answer: &HttpAnswer) -> Self {
        Self { cookie: cookie_pair(answer.header("set-cookie")), ..self.clone() }
    }

    fn add_to(&self, request: RequestBuilder) -> RequestBuilder {
        request.header("cookie", &self.cookie).header("countersign-page-key", &self.page_key)
    }
}

impl OwnServer {
    /// Signs a person in with a link, and returns the session.
    async fn signs_in(&self) -> BrowserSession {
        let link = self.creates_token("ada", Role::Approver, &[], TokenKind::Link).await;
        let request = self.request(Method::POST, "/v1/sessions").header("content-type", "application/json");
        let answer = HttpAnswer::to(request.body(format!(r#"{{"token":"{link}"}}"#))).await;
        assert_eq!(answer.status, 201, "{answer}");
        BrowserSession::read(&answer)
    }

    async fn visits(&self, session: &BrowserSession) -> HttpAnswer {
        HttpAnswer::to(session.add_to(self.request(Method::GET, "/v1/me"))).await
    }
}

/// A cookie's name and value, as a browser sends them.
fn cookie_pair(header: &str) -> String {
    header.split(';').next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn link_signs_in_once_with_a_closed_cookie() {
    in_time(async {
        let server = start().await;
        let link = server.creates_token("ada", Role::Approver, &[], TokenKind::Link).await;
        assert_eq!(server.asks(&link, Method::GET, "/v1/me", "").await.status, 401, "a link is not accepted as a token");
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
        let session = BrowserSession::read(&signed_in);
        let with_cookie = |method, path| session.add_to(server.request(method, path));
        assert_eq!(HttpAnswer::to(with_cookie(Method::GET, "/v1/approvals/pending")).await.status, 200);
        let foreign = with_cookie(Method::GET, "/v1/approvals/pending").header("sec-fetch-site", "cross-site");
        assert_eq!(HttpAnswer::to(foreign).await.text("code"), "foreign_origin");
        assert_eq!(HttpAnswer::to(with_cookie(Method::DELETE, "/v1/sessions/current")).await.status, 200);
        assert_eq!(HttpAnswer::to(with_cookie(Method::GET, "/v1/me")).await.status, 401, "signed out");
        server.end().await;
    })
    .await;
}

/// Browsers send the cookie to every port of the host, so another program has it.
#[tokio::test]
async fn cookie_without_the_page_key_is_refused() {
    in_time(async {
        let server = start().await;
        let (ada, other) = (server.signs_in().await, server.signs_in().await);
        let asks = async |page_key: Option<&str>, path: &str| {
            let request = server.request(Method::GET, path).header("cookie", &ada.cookie);
            let request = page_key
                .into_iter()
                .fold(request, |request, key| request.header("countersign-page-key", key));
            HttpAnswer::to(request).await
        };
        assert_snapshot!(asks(None, "/v1/approvals/pending").await, @"401 unauthenticated: the cookie of a session counts only with the key of the page that signed in; sign in at /sign-in/");
        assert_snapshot!(asks(Some("short"), "/v1/approvals/pending").await, @"401 unauthenticated: the page key has another form; sign in again");
        assert_snapshot!(asks(Some(&other.page_key), "/v1/approvals/pending").await, @"401 unauthenticated: the token is unknown");
        for path in ["/v1/events", "/v1/me", "/metrics", "/v1/threads/t/tool-calls/a"] {
            assert_eq!(asks(None, path).await.status, 401, "{path}");
            assert_ne!(asks(Some(&ada.page_key), path).await.status, 401, "{path}");
        }
        let request = server.request(Method::GET, "/v1/me").header("countersign-page-key", &ada.page_key);
        assert_eq!(HttpAnswer::to(request).await.status, 401, "nor does the key alone");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn session_in_use_is_replaced_once() {
    in_time(async {
        let (server, clock) = start_with_clock().await;
        let first = server.signs_in().await;
        clock.advance(just_under(6));
        assert_eq!(server.visits(&first).await.header("set-cookie"), "", "its first half is not over");
        clock.advance(Duration::from_millis(1));
        let replaced = server.visits(&first).await;
        assert_eq!(replaced.status, 200, "{replaced}");
        let second = first.continued_by(&replaced);
        let name = format!("countersign_session_{}=csgn_", server.port());
        assert!(second.cookie.starts_with(&name) && second != first, "{second:?}");
        assert_eq!(replaced.header("countersign-page-key"), "", "the page keeps its key");
        assert_eq!(server.visits(&first).await.header("set-cookie"), "", "it is replaced once");
        clock.advance(6 * HOUR);
        assert_snapshot!(server.visits(&first).await, @"401 unauthenticated: the token has expired");
        assert_eq!(server.visits(&second).await.status, 200, "the new one outlives it");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn unused_session_ends_after_its_idle_time() {
    in_time(async {
        let (server, clock) = start_with_clock().await;
        let (idle, used) = (server.signs_in().await, server.signs_in().await);
        clock.advance(just_under(12));
        assert_eq!(server.visits(&used).await.status, 200);
        clock.advance(Duration::from_millis(1));
        assert_snapshot!(server.visits(&idle).await, @"401 unauthenticated: the token has expired");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn session_in_use_ends_after_a_week() {
    in_time(async {
        let (server, clock) = start_with_clock().await;
        let mut session = server.signs_in().await;
        for hour in (6..168).step_by(6) {
            clock.advance(6 * HOUR);
            let answer = server.visits(&session).await;
            assert_eq!(answer.status, 200, "after {hour} hours: {answer}");
            if !answer.header("set-cookie").is_empty() {
                session = session.continued_by(&answer);
            }
        }
        clock.advance(just_under(6));
        let last = server.visits(&session).await;
        assert_eq!((last.status, last.header("set-cookie")), (200, ""), "nothing continues it");
        clock.advance(Duration::from_millis(1));
        assert_snapshot!(server.visits(&session).await, @"401 unauthenticated: the token has expired");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn idle_stream_ends_when_its_token_expires() {
    in_time(async {
        let (server, clock) = start_with_clock().await;
        let token = server.creates_token("eve", Role::Auditor, &[], TokenKind::Token).await;
        let request = server.request_with(&token, &Method::GET, "/v1/events", "");
        let mut response = request.header("accept", "text/event-stream").send().await.expect("a stream");
        response.chunk().await.expect("the stream begins").expect("a message");
        clock.advance(HOUR);
        let mut rest = String::new();
        while let Some(chunk) = response.chunk().await.expect("the stream ends") {
            rest.push_str(&String::from_utf8_lossy(&chunk));
        }
        assert!(rest.contains("event: error") && rest.contains("\"unauthenticated\""), "{rest}");
        server.end().await;
    })
    .await;
}
