//! Behaviour of every route: request ids, caching, compression, `HEAD` and `OPTIONS`.

use crate::ASK;
use countersign_tests::{HttpAnswer, over_http};
use reqwest::Method;

#[tokio::test]
async fn unusable_request_id_is_replaced() {
    over_http(ASK, async |world| {
        let id = async |request_id: &str| {
            let answer = world.anonymous().get_with("/healthz", "x-request-id", request_id).await;
            answer.header("x-request-id").to_owned()
        };
        assert_eq!(id("trace/7f3a:b").await, "trace/7f3a:b");
        let longest = "x".repeat(128);
        assert_eq!(id(&longest).await, longest);
        for request_id in ["", "a b", "é", &"x".repeat(129)] {
            let generated = id(request_id).await;
            assert!(
                generated.starts_with("req_") && generated.len() == 16,
                "{request_id:?} became {generated:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn problem_contains_the_id_of_its_request() {
    over_http(ASK, async |world| {
        let request = world.anonymous().request(Method::GET, "/v1/threads/t");
        let response = request.header("x-request-id", "mine-1").send().await.expect("an answer");
        let body = response.text().await.expect("a body");
        assert!(body.contains(r#""requestId":"mine-1""#), "{body}");
    })
    .await;
}

#[tokio::test]
async fn answers_must_be_revalidated_by_caches() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_eq!(ada.get("/v1/threads").await.header("cache-control"), "private, no-cache");
        assert_eq!(ada.get("/v1/threads/t9").await.header("cache-control"), "no-store");
    })
    .await;
}

#[tokio::test]
async fn long_answers_are_compressed_for_clients_that_ask() {
    over_http(ASK, async |world| {
        let long =
            format!(r#"{{"id":"a","name":"bash","arguments":{{"command":"{}"}}}}"#, "ls ".repeat(2_000));
        world.agent("builder").post("/v1/threads/t/tool-calls", &long).await;
        let ada = world.person("ada");
        let encoding = async |path: &str, accepted: &str| {
            let request = ada.request(Method::GET, path).header("accept-encoding", accepted);
            let response = request.send().await.expect("an answer");
            let header =
                |name| response.headers().get(name).map_or("", |value| value.to_str().expect("ASCII"));
            let headers = (header("content-encoding").to_owned(), header("vary").to_owned());
            (headers, response.bytes().await.expect("a body").len())
        };
        let ((gzip, vary), small) = encoding("/v1/threads/t/tool-calls/a", "gzip").await;
        let ((plain, _), large) = encoding("/v1/threads/t/tool-calls/a", "identity").await;
        assert_eq!((gzip.as_str(), vary.as_str(), plain.as_str()), ("gzip", "accept-encoding", ""));
        assert!(small * 10 < large, "{small} of {large} bytes");
        assert_eq!(encoding("/healthz", "gzip").await.0.0, "", "a short body is not compressed");
        let stream = ada.request(Method::GET, "/v1/events").header("accept", "text/event-stream");
        let stream = stream.header("accept-encoding", "gzip").send().await.expect("an answer");
        assert_eq!(
            stream.headers().get("content-encoding"),
            None,
            "a stream is not compressed, because compression would delay messages"
        );
    })
    .await;
}

#[tokio::test]
async fn head_request_returns_only_headers() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        let head = HttpAnswer::to(ada.request(Method::HEAD, "/v1/threads")).await;
        assert_eq!((head.status, head.body.as_str()), (200, ""));
        assert_ne!(head.header("etag"), "");
        let missing = HttpAnswer::to(ada.request(Method::HEAD, "/v1/threads/t9")).await;
        assert_eq!((missing.status, missing.body.as_str()), (404, ""));
        let options = HttpAnswer::to(ada.request(Method::OPTIONS, "/v1/threads/t/mode")).await;
        assert_eq!((options.status, options.header("allow")), (405, "GET,HEAD,PUT"));
    })
    .await;
}
