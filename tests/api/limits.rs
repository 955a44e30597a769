//! The limits of requests: their size, and how much one caller may use. Each refusal has its own code.

use crate::own_server::OwnServer;
use countersign_api::{self as api, CallGate, parse_thread_id};
use countersign_events::Principal;
use countersign_server::{RequestLimits, ServerOptions};
use countersign_store::Clock;
use countersign_tests::{HttpAnswer, gate_of, over_http, trusting_options};
use insta::assert_snapshot;
use reqwest::{Method, RequestBuilder, header::CONTENT_TYPE};

const CALLS: &str = "/v1/threads/t/tool-calls";

/// Runs a story at a server with these limits.
async fn limited(limits: RequestLimits, story: impl AsyncFnOnce(&OwnServer)) {
    let server = OwnServer::start(ServerOptions { limits, ..trusting_options(Clock::System) }).await;
    story(&server).await;
    server.end().await;
}

fn propose(server: &OwnServer, body: String) -> RequestBuilder {
    server.request(Method::POST, CALLS).header(CONTENT_TYPE, "application/json").body(body)
}

async fn get_as(server: &OwnServer, principal: &str, path: &str) -> HttpAnswer {
    HttpAnswer::to(server.request(Method::GET, path).header("countersign-principal", principal)).await
}

#[tokio::test]
async fn body_beyond_the_limit_is_refused() {
    limited(RequestLimits::default(), async |server| {
        let call = |id: &str, bytes: usize| {
            format!(r#"{{"id":"{id}","name":"write","arguments":"{}"}}"#, "x".repeat(bytes))
        };
        let frame = call("a", 0).len();
        let most = call("a", 1024 * 1024 - frame);
        assert_eq!(HttpAnswer::to(propose(server, most)).await.status, 201);
        let more = call("b", 1024 * 1024 - frame + 1);
        assert_snapshot!(HttpAnswer::to(propose(server, more)).await, @"413 too_large: the body has more than 1048576 bytes, the maximum; --max-body of the server sets it");
    })
    .await;
}

#[tokio::test]
async fn too_many_or_large_headers_are_refused() {
    limited(RequestLimits::default(), async |server| {
        let with = async |count: usize, bytes: usize| {
            let all = (0..count).map(|number| (format!("x-{number}"), "x".repeat(bytes)));
            let request = server.request(Method::GET, "/v1/threads");
            HttpAnswer::to(all.fold(request, |all, (name, value)| all.header(name, value))).await
        };
        assert_eq!(with(90, 1).await.status, 200);
        assert_snapshot!(with(101, 1).await, @"431 headers_too_large: the request has 103 headers; the limit is 100");
        let large = with(2, 20_000).await;
        assert_eq!((large.status, large.text("code").as_str()), (431, "headers_too_large"));
        let beyond = server.request(Method::GET, "/healthz");
        let beyond = (0..300).fold(beyond, |all, number| all.header(format!("x-{number}"), "x"));
        assert_eq!(beyond.send().await.expect("an answer").status(), 431, "the library refuses it");
    })
    .await;
}

#[tokio::test]
async fn caller_beyond_its_rate_is_refused_alone() {
    limited(RequestLimits { requests: 1, ..RequestLimits::default() }, async |server| {
        let ada = async || get_as(server, "user:ada", "/v1/threads").await;
        for _ in 0..2 {
            assert_eq!(ada().await.status, 200);
        }
        let refused = ada().await;
        assert_snapshot!(refused, @"429 too_many_requests: this caller sends more than 1 requests a second; send fewer");
        assert_eq!(refused.header("retry-after"), "1");
        assert_eq!(get_as(server, "user:bob", "/v1/threads").await.status, 200, "another caller");
        for path in ["/healthz", "/readyz", "/metrics"] {
            assert_eq!(get_as(server, "user:ada", path).await.status, 200, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn streams_of_a_caller_are_limited() {
    limited(RequestLimits { streams: 1, ..RequestLimits::default() }, async |server| {
        let open = |principal: &str| {
            let request = server.request(Method::GET, "/v1/events").header("accept", "text/event-stream");
            request.header("countersign-principal", principal.to_owned())
        };
        let first = open("user:ada").send().await.expect("an answer");
        assert_eq!(first.status(), 200);
        let refused = HttpAnswer::to(open("user:ada")).await;
        assert_snapshot!(refused, @"429 too_many_streams: this caller has 1 open streams, the maximum; close some");
        assert_eq!(refused.header("retry-after"), "5");
        assert_eq!(open("user:bob").send().await.expect("an answer").status(), 200);
        drop(first);
        // The server notices the closed connections a moment later.
        while !server.metrics().await.contains("countersign_http_streams 0\n") {}
        assert_eq!(open("user:ada").send().await.expect("an answer").status(), 200);
    })
    .await;
}

#[tokio::test]
async fn waits_of_a_caller_are_limited() {
    limited(RequestLimits { waits: 1, ..RequestLimits::default() }, async |server| {
        let gate = gate_of(&server.url, &Principal::agent("builder"));
        let thread = parse_thread_id("t").expect("an id");
        for id in ["call_1", "call_2"] {
            let call = api::ProposeRequest::new(id, "bash", "{}").expect("a call");
            gate.propose(&thread, &call).await.expect("proposed");
        }
        let wait = |id: &str| {
            let request = server.request(Method::GET, &format!("{CALLS}/{id}")).header("prefer", "wait=30");
            request.header("countersign-principal", "agent:builder")
        };
        let first = tokio::spawn(wait("call_1").send());
        while !server.metrics().await.contains("countersign_http_waits 1\n") {}
        assert_snapshot!(HttpAnswer::to(wait("call_2")).await, @"429 too_many_waits: 1 requests of this caller wait for a decision, the maximum; end some, or ask without `Prefer: wait`");
        let new = propose(server, r#"{"id":"call_3","name":"bash","arguments":{}}"#.to_owned());
        let new = new.header("prefer", "wait=30").header("countersign-principal", "agent:builder");
        assert_eq!(HttpAnswer::to(new).await.status, 429);
        assert_eq!(
            get_as(server, "user:ada", &format!("{CALLS}/call_3")).await.status,
            404,
            "nothing is written"
        );
        assert_eq!(get_as(server, "agent:builder", &format!("{CALLS}/call_2")).await.status, 200);
        let id = api::ProposeRequest::new("call_1", "bash", "{}").expect("a call").id;
        gate.cancel(&thread, &id, &api::CancelRequest::default()).await.expect("cancelled");
        assert_eq!(first.await.expect("no panic").expect("an answer").status(), 200);
    })
    .await;
}

#[tokio::test]
async fn too_many_pending_calls_are_refused() {
    let policy = "default = \"ask\"\n[limits]\npendingPerThread = 2\n";
    over_http(policy, async |world| {
        let builder = world.agent("builder");
        for id in ["call_1", "call_2"] {
            builder.proposes(id).await;
        }
        let call = r#"{"id":"call_3","name":"bash","arguments":{}}"#;
        let refused = builder.post(CALLS, call).await;
        assert_snapshot!(refused, @"429 too_many_pending: thread t has 2 pending calls, the most that the policy permits; propose again when people have decided some");
        assert_eq!(refused.header("retry-after"), "30");
        assert_eq!(builder.get(&format!("{CALLS}/call_3")).await.status, 404, "nothing is written");
        let pending = world.person("ada").get("/v1/approvals/pending").await;
        assert_eq!(pending.json()["pending"].as_array().expect("a list").len(), 2);
        world.person("ada").allows("call_1").await;
        assert_eq!(builder.post(CALLS, call).await.status, 201);
    })
    .await;
}
