//! Requests that the server refuses before routing: foreign hosts, pages of other sites, invalid principals, and
//! unknown paths and methods.

use crate::{ASK, own_server::OwnServer};
use countersign_api::page_address;
use countersign_events::{Role, TokenKind};
use countersign_store::Clock;
use countersign_tests::{HttpAnswer, in_time, over_http, server_options};
use insta::assert_snapshot;
use reqwest::Method;

const PENDING: &str = "/v1/approvals/pending";

/// The policy for the browser in every response.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

#[tokio::test]
async fn unknown_path_is_refused() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.get("/v1/thread/t").await, @"404 unknown_route: /v1/thread/t does not exist; the API begins with /v1/threads");
        assert_snapshot!(ada.get("/v1/threads/t/tool-calls/a/b/c").await, @"404 unknown_route: /v1/threads/t/tool-calls/a/b/c does not exist; the API begins with /v1/threads");
        assert_snapshot!(ada.get("/v1/threads/t/grants/").await, @"404 unknown_route: /v1/threads/t/grants/ does not exist; the API begins with /v1/threads");
    })
    .await;
}

#[tokio::test]
async fn wrong_method_is_refused() {
    over_http(ASK, async |world| {
        let answer = world.person("ada").delete("/v1/threads/t/tool-calls/call_1").await;
        assert_snapshot!(answer.whole(), @r#"
        405
        {
          "title": "Method Not Allowed",
          "status": 405,
          "code": "wrong_method",
          "detail": "/v1/threads/t/tool-calls/call_1 does not support DELETE"
        }
        "#);
        assert_eq!(answer.header("allow"), "GET,HEAD");
    })
    .await;
}

#[tokio::test]
async fn foreign_host_is_refused() {
    over_http(ASK, async |world| {
        let request = world.person("ada").request(Method::GET, PENDING).header("host", "evil.example:7878");
        assert_snapshot!(HttpAnswer::to(request).await, @r#"421 foreign_host: "evil.example:7878" is not a name of this server; use 127.0.0.1 or localhost, or add the name with --public-url"#);
        assert_snapshot!(world.sends_raw("GET /healthz HTTP/1.0").await, @r#"421 foreign_host: "" is not a name of this server; use 127.0.0.1 or localhost, or add the name with --public-url"#);
        let request = world.person("ada").request(Method::GET, PENDING).header("host", "localhost:1");
        assert_eq!(HttpAnswer::to(request).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn request_with_two_hosts_is_refused() {
    over_http(ASK, async |world| {
        let sends = async |head: &str| world.sends_raw(head).await;
        assert_snapshot!(sends("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example").await, @"400 bad_host: the request has more than one Host header");
        assert_snapshot!(sends("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost").await, @"400 bad_host: the request has more than one Host header");
        assert_snapshot!(sends("GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost").await, @r#"400 bad_host: the request line names the host "evil.example", and the header Host "localhost""#);
        assert_snapshot!(sends("GET http://localhost:1/healthz HTTP/1.1\r\nHost: localhost:2").await, @r#"400 bad_host: the request line names the host "localhost:1", and the header Host "localhost:2""#);
        assert_snapshot!(sends("GET http://user@localhost/healthz HTTP/1.1\r\nHost: localhost").await, @r#"400 bad_host: the request line names the host "user@localhost", and the header Host "localhost""#);
    })
    .await;
}

#[tokio::test]
async fn request_line_may_repeat_the_host() {
    over_http(ASK, async |world| {
        for (line, host) in
            [("localhost", "localhost"), ("LOCALHOST:80", "localhost"), ("127.0.0.1:7", "127.0.0.1:7")]
        {
            let head = format!("GET http://{line}/healthz HTTP/1.1\r\nHost: {host}");
            assert_eq!(world.sends_raw(&head).await.status, 200, "{head}");
        }
    })
    .await;
}

#[tokio::test]
async fn foreign_origin_is_refused_and_the_own_accepted() {
    over_http(ASK, async |world| {
        let url = world.server_url();
        let port = url.rsplit_once(':').expect("a port").1;
        let from = async |origin: &str| {
            let request = world.person("ada").request(Method::GET, PENDING).header("origin", origin);
            HttpAnswer::to(request).await
        };
        assert_snapshot!(from("https://evil.example").await.to_string().replace(port, "[port]"), @"403 foreign_origin: a page of https://evil.example sent this request; the server accepts requests only from its own pages, at http://countersign.localhost:[port]");
        assert_snapshot!(from("null").await.to_string().replace(port, "[port]"), @"403 foreign_origin: a page of null sent this request; the server accepts requests only from its own pages, at http://countersign.localhost:[port]");
        let own = page_address(&world.server_url());
        assert_eq!(from(&own).await.status, 200);
        for other in ["http://countersign.localhost:1", "http://localhost:3000", &world.server_url()] {
            assert_eq!(from(other).await.status, 403, "{other}: the name and the port are part of the origin");
        }
    })
    .await;
}

#[tokio::test]
async fn page_under_another_name_is_redirected() {
    in_time(async {
        let server = OwnServer::start(server_options(Clock::System)).await;
        let port = server.port();
        // It follows no redirects.
        let client = countersign_client::new_service_client(None, true).expect("a client");
        let opens = async |host: &str, path: &str| {
            let request = client.get(format!("http://127.0.0.1:{port}{path}")).header("host", host);
            HttpAnswer::to(request.header("accept", "text/html,*/*;q=0.8")).await
        };
        for name in ["127.0.0.1", "localhost", "LocalHost", "[::1]"] {
            let answer = opens(&format!("{name}:{port}"), "/history?q=a%20b").await;
            let to = format!("http://countersign.localhost:{port}/history?q=a%20b");
            assert_eq!((answer.status, answer.header("location")), (307, to.as_str()), "{name}");
        }
        assert_eq!(opens(&format!("countersign.localhost:{port}"), "/history").await.status, 200);
        assert_eq!(opens("x.localhost:1", "/").await.status, 421, "no other name below localhost");
        assert_eq!(opens(&format!("127.0.0.1:{port}"), "/healthz").await.status, 200, "it is no page");
        let forwarded = opens("localhost:1", "/").await;
        assert_eq!((forwarded.status, forwarded.text("code")), (421, "foreign_host".to_owned()));
        assert!(
            forwarded.text("detail").contains("--public-url http://countersign.localhost:1"),
            "{forwarded}"
        );
        let token = server.creates_token("ada", Role::Approver, &[], TokenKind::Token).await;
        let request = server.request_with(&token, &Method::GET, PENDING, "").header("host", "localhost:1");
        assert_eq!(HttpAnswer::to(request).await.status, 200, "programs use any name of this machine");
        server.end().await;
    })
    .await;
}

/// A request for an image or a script has no `Origin`, so the server checks `Sec-Fetch-Site`.
#[tokio::test]
async fn page_of_another_site_cannot_send_requests() {
    over_http(ASK, async |world| {
        let from = async |site: &str, dest: &str, path: &str| {
            let mode = if dest == "image" { "no-cors" } else { "navigate" };
            let request = world.anonymous().request(Method::GET, path).header("sec-fetch-site", site);
            HttpAnswer::to(request.header("sec-fetch-mode", mode).header("sec-fetch-dest", dest)).await
        };
        assert_snapshot!(from("cross-site", "image", "/readyz").await, @"403 foreign_origin: a page of another site sent this request; the server accepts requests only from its own pages");
        for path in
            ["/readyz", "/v1/stats", "/metrics", "/healthz", "/", "/docs/", "/openapi.json", "/nothing"]
        {
            for site in ["cross-site", "same-site", "something-new"] {
                assert_eq!(from(site, "image", path).await.status, 403, "{site} {path}");
            }
            let ours = from("same-origin", "image", path).await.status;
            assert_eq!(from("none", "document", path).await.status, ours, "an address typed by the user: {path}");
            assert_eq!(ours == 404, path == "/nothing", "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn link_from_another_site_opens_only_pages() {
    over_http(ASK, async |world| {
        let follows = async |dest: &str, path: &str| {
            let request = world.anonymous().request(Method::GET, path).header("sec-fetch-site", "cross-site");
            let request = request.header("sec-fetch-mode", "navigate").header("sec-fetch-dest", dest);
            HttpAnswer::to(request).await.status
        };
        for path in ["/", "/docs", "/docs/"] {
            assert_eq!(follows("document", path).await, 200, "{path}");
            assert_eq!(follows("iframe", path).await, 403, "{path}");
        }
        for path in ["/readyz", "/v1/stats", "/v1/events", "/openapi.json"] {
            assert_eq!(follows("document", path).await, 403, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn answers_cannot_be_framed_or_sniffed() {
    over_http(ASK, async |world| {
        for path in ["/", "/docs/", "/docs/page.css", "/v1/events", "/v1/threads/none", "/nothing"] {
            let answer = world.anonymous().get(path).await;
            assert_eq!(answer.header("content-security-policy"), POLICY, "{path}");
            assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
            assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
            assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
        }
        let evil = world.anonymous().get_with("/docs/", "host", "evil.example").await;
        assert_eq!((evil.status, evil.header("x-frame-options")), (421, "DENY"));
    })
    .await;
}

#[tokio::test]
async fn service_principal_or_unknown_kind_is_refused() {
    over_http(ASK, async |world| {
        let says = async |principal: &str| {
            let request = world.anonymous().request(Method::POST, "/v1/threads/t/close");
            let request = request.header("content-type", "application/json");
            HttpAnswer::to(request.header("countersign-principal", principal).body("{}")).await
        };
        assert_snapshot!(says("ada").await, @"404 unknown_thread: there is no thread t");
        assert_snapshot!(says("system:expiry").await, @r#"
        401 unauthenticated: countersign-principal: must begin with user: or agent:
        parameter: "countersign-principal"
        "#);
        assert_snapshot!(says("policy:allow-all").await, @r#"
        401 unauthenticated: countersign-principal: must begin with user: or agent:
        parameter: "countersign-principal"
        "#);
    })
    .await;
}

#[tokio::test]
async fn unusable_principal_name_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let says = async |principal: &str| {
            let request = world.anonymous().request(Method::POST, "/v1/threads/t/close");
            let request = request.header("content-type", "application/json");
            HttpAnswer::to(request.header("countersign-principal", principal).body("{}")).await
        };
        assert_snapshot!(says("user:").await, @r#"
        401 unauthenticated: countersign-principal: the name of a principal cannot be used: it is empty
        parameter: "countersign-principal"
        "#);
        assert_snapshot!(says("user:a%00b").await, @r#"
        401 unauthenticated: countersign-principal: the name of a principal cannot be used: it contains the control character U+0000
        parameter: "countersign-principal"
        "#);
        assert_snapshot!(says("user:%ff").await, @r#"
        401 unauthenticated: countersign-principal: it is not UTF-8
        parameter: "countersign-principal"
        "#);
        for alike in ["user:bob%20", "user:%20bob", "user:bo%E2%80%8Bb", "user:%E2%80%AEbob", "user:b%D0%BEb"] {
            let answer = says(alike).await;
            assert_eq!((answer.status, answer.member("code")), (401, r#""unauthenticated""#.to_owned()), "{alike}");
        }
        assert_snapshot!(says("user:bob%20").await, @r#"
        401 unauthenticated: countersign-principal: the name of a principal cannot be used: it begins or ends with a blank
        parameter: "countersign-principal"
        "#);
        assert_snapshot!(says("user:J%C3%BCrgen%20%E4%B8%96").await, @r#"
        200
        {
          "threadId": "t",
          "closedAt": "2026-01-31T12:00:00.000Z",
          "principal": "user:Jürgen 世",
          "cancelled": ["call_1"]
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn caller_without_a_name_gets_the_default() {
    over_http(ASK, async |world| {
        let anonymous = world.anonymous();
        assert_snapshot!(anonymous.proposes("call_1").await.shown("proposal"), @r#"{"at":"2026-01-31T12:00:00.000Z","principal":"agent:local (solo)","seq":2}"#);
        assert_snapshot!(anonymous.allows("call_1").await.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","policy":"[hash:policy]","principal":"user:local (solo)","seq":4,"source":"approver"}"#);
    })
    .await;
}

#[tokio::test]
async fn badly_encoded_principal_is_refused() {
    over_http(ASK, async |world| {
        let request = world.anonymous().request(Method::POST, "/v1/threads/t/tool-calls");
        let request = request.header("content-type", "application/json").body("{}");
        assert_snapshot!(HttpAnswer::to(request.header("countersign-principal", "agent:%zz")).await, @r#"
        401 unauthenticated: countersign-principal: two hexadecimal digits must follow each %; write % itself as %25
        parameter: "countersign-principal"
        "#);
    })
    .await;
}
