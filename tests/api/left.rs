//! A client that disconnects: the events of its command are still announced and counted.

use crate::ASK;
use countersign_api::{self as api, ApprovalGate, CallGate, LogFilter, parse_thread_id};
use countersign_events::Principal;
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
            assert!(
                poll!(propose).is_pending(),
                "the command is queued, and dropping the future abandons its caller"
            );
        }
        let mut events = world.service.gate.follow(LogFilter::default(), 0);
        assert_eq!(events.next().await.expect("the stream has an event").expect("reads").seq, 1);
        // The count follows the write. The time limit of the test ends this loop.
        let mut metrics = String::new();
        while !metrics.contains("calls_proposed_total 1") {
            tokio::task::yield_now().await;
            metrics.clear();
            encode(&mut metrics, &registry).expect("the metrics can be encoded");
        }
    })
    .await;
}
