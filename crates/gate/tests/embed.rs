//! The example does what it says.

#[path = "../examples/embed.rs"]
#[expect(dead_code, reason = "its main is for the command line")]
mod embed;

use countersign_api::{self as api, ApprovalGate, CallGate, LogFilter};
use countersign_events::{CallState, Decision, Principal};
use countersign_gate::EmbeddedGate;
use futures_util::StreamExt;

async fn decided(decision: Decision) -> api::Call {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("agent.db");
    let gate = EmbeddedGate::open(&file).await.expect("opens").acting_as(Principal::user("ada"));
    let mut events = gate.follow(LogFilter::default(), 1);
    let agent = tokio::spawn(async move { embed::agent(&file).await });
    // The policy, the call, and then the request: from then on there is something to decide.
    let asked = events.next().await.and(events.next().await).expect("the agent asks").expect("readable");
    let pending =
        gate.pending(&LogFilter::default(), api::PageQuery::default()).await.expect("readable").pending;
    let call = &pending[0];
    assert_eq!(call.request.as_ref().map(|request| request.seq), Some(asked.seq));
    gate.decide(&call.thread_id, &call.id, &api::DecisionRequest::plain(decision)).await.expect("decided");
    agent.await.expect("no panic").expect("no error")
}

#[tokio::test]
async fn an_allowed_call_runs_and_leaves_its_result() {
    let call = decided(Decision::AllowOnce).await;
    assert_eq!(call.state, CallState::Finished);
    let content = call.result.expect("it ended").content;
    assert_eq!(content.as_str(), r#""deployed {\"service\":\"shop\",\"version\":\"1.4.2\"}""#);
}

#[tokio::test]
async fn a_denied_call_does_not_run() {
    let call = decided(Decision::Deny).await;
    assert_eq!((call.state, call.execution), (CallState::Denied, None));
}
