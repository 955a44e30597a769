//! `POST /v1/threads/{thread}/tool-calls/{id}/claim/renew`, and the background renewals of an executor.

use crate::ASK;
use countersign_api::{self as api, held_claim::HeldClaim};
use countersign_events::Principal;
use countersign_tests::{HttpAnswer, HttpWorld, over_http};
use insta::assert_snapshot;
use std::{sync::Arc, time::Duration};

const CALL: &str = "/v1/threads/t/tool-calls/call_1";

/// The hash of `{"command":"ls"}`, the arguments of every call here.
const HASH: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";

async fn renews(world: &HttpWorld, executor: &str) -> HttpAnswer {
    let renew = format!(r#"{{"executor":"{executor}","leaseSeconds":60}}"#);
    world.agent("builder").post(&format!("{CALL}/claim/renew"), &renew).await
}

async fn claims_for(world: &HttpWorld, lease: &str) -> HttpAnswer {
    let claim = format!(r#"{{"executor":"worker-7","argumentsHash":"{HASH}"{lease}}}"#);
    world.agent("builder").post(&format!("{CALL}/claim"), &claim).await
}

#[tokio::test]
async fn claim_without_lease_expires_after_fifteen_minutes() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        assert_snapshot!(claims_for(world, r#","leaseSeconds":86401"#).await, @"422 invalid: leaseSeconds: must be at most 86400, which is a day; renew the lease while the call runs");
        assert_snapshot!(claims_for(world, "").await.shown("execution"), @r#"{"executor":"worker-7","leaseExpiresAt":"2026-01-31T12:15:00.000Z","principal":"agent:builder","seq":5,"startedAt":"2026-01-31T12:00:00.000Z"}"#);
        world.clock().advance(Duration::from_mins(15));
        assert_eq!(world.agent("builder").get(CALL).await.text("state"), "unknown");
    })
    .await;
}

#[tokio::test]
async fn renewal_by_another_executor_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(renews(world, "worker-7").await, @"404 unknown_call: thread t has no call call_1");
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        assert_snapshot!(renews(world, "worker-7").await, @"409 not_claimed: the call is allowed: claim it first");
        assert_eq!(claims_for(world, r#","leaseSeconds":60"#).await.status, 200);
        assert_snapshot!(renews(world, "worker-8").await, @"409 not_the_executor: the call was claimed by worker-7, which alone can renew the lease and report the result");
    })
    .await;
}

#[tokio::test]
async fn renewed_call_keeps_running_and_changes_its_tag() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        assert_eq!(claims_for(world, r#","leaseSeconds":60"#).await.status, 200);
        world.clock().advance(Duration::from_secs(20));
        let before = world.agent("builder").get(CALL).await;
        assert_snapshot!(renews(world, "worker-7").await.shown("execution"), @r#"{"executor":"worker-7","leaseExpiresAt":"2026-01-31T12:01:20.000Z","principal":"agent:builder","renewed":{"at":"2026-01-31T12:00:20.000Z","seq":6},"seq":5,"startedAt":"2026-01-31T12:00:00.000Z"}"#);
        assert_eq!(renews(world, "worker-7").await.status, 200, "a repeat");
        world.clock().advance(Duration::from_secs(50));
        let after = world.agent("builder").get(CALL).await;
        assert_eq!(after.text("state"), "running");
        assert_ne!(before.header("etag"), after.header("etag"));
        let renewals = world.agent("builder").get("/v1/threads/t/events?type=TOOL_EXECUTION_RENEWED").await;
        assert_snapshot!(renewals.member("events").matches("TOOL_EXECUTION_RENEWED").count(), @"1");
    })
    .await;
}

/// Renewals use the machine clock, and the one-second lease ends by the test clock.
#[tokio::test]
async fn held_claim_renews_until_it_is_finished() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        let gate: api::SharedGate = Arc::new(world.http_gate(&Principal::agent("builder")));
        let (thread, id) =
            (api::parse_thread_id("t").expect("valid"), api::parse_call_id("call_1").expect("valid"));
        let call = gate.call(&thread, &id).await.expect("the call");
        let claim =
            api::ClaimRequest { lease_seconds: Some(1), ..api::ClaimRequest::for_call(&call, "worker-7") };
        let held = HeldClaim::claim(gate.clone(), &thread, &id, &claim).await.expect("claimed");
        world.clock().advance(Duration::from_secs(1));
        let mut events =
            gate.follow(api::LogFilter::default(), held.call().execution.as_ref().expect("claimed").seq);
        let renewed = futures_util::StreamExt::next(&mut events).await.expect("an event").expect("an event");
        assert_eq!(renewed.kind, api::EventType::ExecutionRenewed);
        let finished = held.finish(&api::ResultRequest::success("done")).await.expect("finished");
        assert_eq!(finished.state, api::CallState::Finished);
    })
    .await;
}
