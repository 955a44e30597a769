//! Cursors that do not fit the log: beyond its end, or of another log. A page or a stream from such a cursor would lose
//! events without a sign.

use crate::ASK;
use countersign_api::{
    self as api, ApprovalGate, ErrorCode, GateError, LogCursor, LogFilter, SharedGate, retry::RetryingGate,
};
use countersign_client::HttpGate;
use countersign_tests::{HttpAnswer, HttpWorld, over_http};
use futures_util::StreamExt;
use reqwest::Method;
use std::sync::Arc;

/// The text that follows the `seq` in a cursor of another log.
const OTHER_HASH: &str = "0123456789abcdef";

/// Proposes calls, and returns the last event of the log.
async fn last_event(world: &HttpWorld) -> Arc<api::Event> {
    for id in ["a", "b", "c"] {
        world.agent("builder").proposes(id).await;
    }
    let page = api::PageQuery { after: 0, limit: api::MAX_PAGE };
    let page = world.service.gate.events(&LogFilter::default(), page).await.expect("the log reads");
    Arc::clone(page.events.last().expect("the log has events"))
}

/// Requests a page, and then a stream that resumes with `Last-Event-ID`.
async fn page_and_stream(world: &HttpWorld, path: &str, cursor: &str) -> [HttpAnswer; 2] {
    let ada = world.person("ada");
    let page = ada.get(&format!("{path}?after={cursor}")).await;
    let stream = ada.request(Method::GET, path).header("accept", "text/event-stream");
    [page, HttpAnswer::to(stream.header("last-event-id", cursor)).await]
}

#[tokio::test]
async fn cursor_beyond_the_end_is_refused() {
    over_http(ASK, async |world| {
        let tip = last_event(world).await.seq;
        for path in ["/v1/events", "/v1/threads/t/events", "/v1/threads/other/events"] {
            for answer in page_and_stream(world, path, &(tip + 5).to_string()).await {
                assert_eq!(
                    (answer.status, answer.text("code").as_str()),
                    (409, "bad_cursor"),
                    "{path}: {answer}"
                );
                assert_eq!(answer.member("tip"), tip.to_string(), "{path}: {answer}");
                assert_eq!(answer.header("content-type"), "application/problem+json");
            }
        }
        let pending = world.person("ada").get(&format!("/v1/approvals/pending?after={}", tip + 1)).await;
        assert_eq!(pending.text("code"), "bad_cursor", "{pending}");
    })
    .await;
}

#[tokio::test]
async fn cursor_at_the_end_is_accepted() {
    over_http(ASK, async |world| {
        let last = last_event(world).await;
        for cursor in [last.seq.to_string(), LogCursor::of_event(&last).to_string(), "0".to_owned()] {
            assert_eq!(
                world.person("ada").get(&format!("/v1/events?after={cursor}")).await.status,
                200,
                "{cursor}"
            );
            world.person("ada").streams("/v1/events", Some(&cursor)).await.message().await;
        }
    })
    .await;
}

#[tokio::test]
async fn cursor_of_another_log_is_refused() {
    over_http(ASK, async |world| {
        let tip = last_event(world).await.seq;
        for seq in [1, tip] {
            for answer in page_and_stream(world, "/v1/events", &format!("{seq}-{OTHER_HASH}")).await {
                assert_eq!((answer.status, answer.text("code").as_str()), (409, "bad_cursor"), "{answer}");
                assert_eq!(answer.member("tip"), tip.to_string(), "{answer}");
            }
        }
    })
    .await;
}

/// The hash would not be compared there, so the list does not accept it.
#[tokio::test]
async fn cursor_hash_is_refused_outside_the_log() {
    over_http(ASK, async |world| {
        let answer = world.person("ada").get(&format!("/v1/approvals/pending?after=1-{OTHER_HASH}")).await;
        assert_eq!((answer.status, answer.member("parameter").as_str()), (422, r#""after""#), "{answer}");
    })
    .await;
}

/// Returns the first error from a stream that starts after this position.
async fn stream_error(gate: &dyn ApprovalGate, after: i64) -> GateError {
    let first = gate.follow(LogFilter::default(), after).next().await.expect("the stream reports an error");
    first.expect_err("the cursor is beyond the end")
}

#[tokio::test]
async fn every_gate_reports_a_bad_cursor() {
    over_http(ASK, async |world| {
        let tip = last_event(world).await.seq;
        let client = HttpGate::connect(&world.server_url()).expect("an address");
        let gates: [SharedGate; 4] = [
            Arc::new(world.service.gate.clone()),
            Arc::new(client.clone()),
            Arc::new(RetryingGate::new(Arc::new(world.service.gate.clone()))),
            Arc::new(RetryingGate::new(Arc::new(client))),
        ];
        for gate in gates {
            let error = stream_error(&*gate, tip + 5).await;
            assert_eq!((error.code, error.facts.tip), (ErrorCode::BadCursor, Some(tip)), "{error}");
            let page = api::PageQuery { after: tip + 5, limit: 10 };
            let error =
                gate.events(&LogFilter::default(), page).await.expect_err("the page begins beyond the end");
            assert_eq!((error.code, error.facts.tip), (ErrorCode::BadCursor, Some(tip)), "{error}");
        }
    })
    .await;
}
