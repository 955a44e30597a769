//! A client that disconnects: the event written for it is still announced and counted.

use crate::ASK;
use countersign_api::{self as api, ApprovalGate, LogFilter, parse_thread_id};
use countersign_gate::Principal;
use countersign_tests::over_http;
use futures_util::{StreamExt, poll};
use prometheus_client::{encoding::text::encode, registry::Registry};
use std::pin::pin;

#[tokio::test]
async fn event_for_a_departed_waiter_is_counted() {
    over_http(ASK, async |world| {
        let mut registry = Registry::default();
        world.service.gate.register_metrics(&mut registry);
        let agent = world.service.gate.acting_as(Principal::agent("bot"));
        let (thread, call) = (
            parse_thread_id("t").expect("valid"),
            api::ProposeRequest::new("c", "bash", "{}").expect("valid"),
        );
        {
            let propose = pin!(agent.propose(&thread, &call));
            assert!(poll!(propose).is_pending(), "it is on its way, and nobody waits for it any more");
        }
        let mut events = world.service.gate.follow(LogFilter::default(), 0);
        assert_eq!(events.next().await.expect("it goes on").expect("reads").seq, 1);
        // The count follows the write. The time limit of the test ends this loop.
        let mut told = String::new();
        while !told.contains("calls_proposed_total 1") {
            tokio::task::yield_now().await;
            told.clear();
            encode(&mut told, &registry).expect("it can be told");
        }
    })
    .await;
}
