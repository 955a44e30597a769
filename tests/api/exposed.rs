//! A server that other machines reach: its public names, the proxies in front of it, and pages of other origins.

use crate::own_server::OwnServer;
use countersign_server::{NetworkAccess, ServerOptions};
use countersign_store::Clock;
use countersign_tests::{HttpAnswer, trusting_options};
use insta::assert_snapshot;
use reqwest::Method;

/// Runs a story with a server at `https://approvals.example`, behind a proxy on this machine.
async fn exposed(proxy: &str, story: impl AsyncFnOnce(&OwnServer)) {
    let origin = |text: &str| vec![text.parse().expect("an origin")];
    let access = NetworkAccess {
        proxies: vec![proxy.parse().expect("a proxy")],
        public_urls: origin("https://approvals.example"),
        frame_by: origin("https://board.example"),
        cors_origins: origin("https://desk.example"),
    };
    let server = OwnServer::start(ServerOptions { access, ..trusting_options(Clock::System) }).await;
    story(&server).await;
    server.end().await;
}

/// Sends a request with these headers.
async fn send(server: &OwnServer, method: Method, path: &str, headers: &[(&str, &str)]) -> HttpAnswer {
    let request = server.request(method, path);
    HttpAnswer::to(headers.iter().fold(request, |all, (name, value)| all.header(*name, *value))).await
}

async fn get(server: &OwnServer, headers: &[(&str, &str)]) -> HttpAnswer {
    send(server, Method::GET, "/v1/approvals/pending", headers).await
}

#[tokio::test]
async fn public_name_is_accepted_and_others_not() {
    exposed("127.0.0.1", async |server| {
        for host in ["approvals.example", "Approvals.Example:443", "approvals.example:8443", "localhost"] {
            assert_eq!(get(server, &[("host", host)]).await.status, 200, "{host}");
        }
        for host in ["evil.example", "approvals.example.evil.example", "x.approvals.example"] {
            assert_eq!(get(server, &[("host", host)]).await.status, 421, "{host}");
        }
        let hidden = get(server, &[("x-forwarded-host", "evil.example")]).await;
        assert_snapshot!(hidden, @r#"421 foreign_host: "evil.example" is not a name of this server; use 127.0.0.1 or localhost, or add the name with --public-url"#);
        let both = [("host", "evil.example"), ("x-forwarded-host", "approvals.example")];
        assert_eq!(get(server, &both).await.status, 421, "the host of the connection counts too");
    })
    .await;
}

#[tokio::test]
async fn own_origin_has_public_scheme_and_port() {
    exposed("127.0.0.1", async |server| {
        let own = [("host", "approvals.example"), ("origin", "https://approvals.example")];
        assert_eq!(get(server, &own).await.status, 200);
        let port = [("host", "approvals.example:8443"), ("origin", "https://approvals.example:8443")];
        assert_eq!(get(server, &port).await.status, 403);
        let proxied = [port[0], port[1], ("x-forwarded-proto", "https")];
        assert_eq!(get(server, &proxied).await.status, 403, "another program may serve that port");
        assert_eq!(get(server, &[("origin", "http://approvals.example")]).await.status, 403);
        assert_eq!(get(server, &[("origin", "https://evil.example")]).await.status, 403);
    })
    .await;
}

#[tokio::test]
async fn only_a_named_proxy_may_forward() {
    let headers = [("x-forwarded-for", "unknown"), ("x-forwarded-host", "evil.example")];
    exposed("127.0.0.1", async |server| {
        assert_snapshot!(get(server, &headers[..1]).await, @r#"
        400 bad_forwarded: the proxy sent an unusable header x-forwarded-for: "unknown" is not an IP address
        parameter: "x-forwarded-for"
        "#);
    })
    .await;
    exposed("10.0.0.0/8", async |server| {
        assert_eq!(get(server, &headers).await.status, 200, "the headers of others have no effect");
    })
    .await;
}

#[tokio::test]
async fn page_of_a_named_origin_reads_responses() {
    exposed("127.0.0.1", async |server| {
        let page = [("origin", "https://desk.example"), ("sec-fetch-site", "cross-site")];
        let answer = get(server, &page).await;
        assert_eq!(answer.status, 200, "{answer}");
        assert_eq!(answer.header("access-control-allow-origin"), "https://desk.example");
        assert_eq!(answer.header("access-control-allow-credentials"), "");
        assert_eq!(answer.header("vary"), "origin");
        let asked = [page[0], ("access-control-request-method", "POST")];
        let preflight = send(server, Method::OPTIONS, "/v1/threads/t/close", &asked).await;
        assert_eq!(preflight.status, 204, "{preflight}");
        assert_eq!(preflight.header("access-control-allow-methods"), "GET, POST, PUT, DELETE");
        assert!(preflight.header("access-control-allow-headers").contains("countersign-principal"));
        let missing = send(server, Method::GET, "/v1/threads/none", &page).await;
        assert_eq!((missing.status, missing.header("access-control-allow-origin")), (404, page[0].1));
    })
    .await;
}

#[tokio::test]
async fn page_of_another_origin_gets_no_permission() {
    exposed("127.0.0.1", async |server| {
        for origin in ["https://evil.example", "http://desk.example", "https://desk.example.evil", "null"] {
            let asked = [("origin", origin), ("access-control-request-method", "POST")];
            let preflight = send(server, Method::OPTIONS, "/v1/threads/t/close", &asked).await;
            assert_eq!(
                (preflight.status, preflight.header("access-control-allow-origin")),
                (403, ""),
                "{origin}"
            );
        }
        let own = [("origin", "https://approvals.example"), ("access-control-request-method", "POST")];
        let preflight = send(server, Method::OPTIONS, "/v1/threads/t/close", &own).await;
        assert_eq!((preflight.status, preflight.header("access-control-allow-origin")), (405, ""));
    })
    .await;
}

#[tokio::test]
async fn named_origin_may_frame_pages() {
    exposed("127.0.0.1", async |server| {
        let frame =
            [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
        let answer = send(server, Method::GET, "/docs/", &frame).await;
        assert_eq!((answer.status, answer.header("x-frame-options")), (200, ""));
        let policy = answer.header("content-security-policy");
        assert!(policy.ends_with("; frame-ancestors https://board.example"), "{policy}");
        assert_eq!(send(server, Method::GET, "/v1/events", &frame).await.status, 403, "it is not a page");
    })
    .await;
}
