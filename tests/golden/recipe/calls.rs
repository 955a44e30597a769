//! The scenes with calls: how they run, who decides them, what becomes due, and what people repair.

use super::{GoldenStage, stage::read_body};
use countersign_api::{CallState, operations};
use countersign_events::EventType;
use serde_json::json;

/// The lease of a claim that the golden log keeps open, in seconds.
const LONGEST_LEASE: u32 = 86_400;

pub(super) async fn play_runs(stage: &GoldenStage) {
    let full = stage.call("work", "full");
    full.proposes(json!({
        "name": "bash",
        "arguments": {"command": "git push origin main", "timeout": 1.5e3},
        "annotations": {"destructiveHint": true, "title": "Shell"},
        "impact": {"message": "publishes the branch", "riskLevel": "medium", "reversible": true,
            "affectedResources": ["origin/main"], "estimatedImpact": "all users"},
        "description": "Publish the fix – after the review",
        "place": {"host": "build-1", "folder": "/srv/shop", "project": "/srv/shop", "agent": "claude-code/explore"},
        "definition": {"description": "Runs a command", "inputSchema": {"type": "object"}}
    }))
    .await;
    full.decides("user:ada", json!({"decision": "allow_once", "comment": "as agreed"})).await;
    full.claims(60).await;
    stage.passes(40);
    let renew = json!({"executor": "worker-1", "leaseSeconds": 60});
    let (thread, id) = (full.thread.clone(), full.id.clone());
    stage.send("agent:bot", operations::RenewClaim { thread, id, body: read_body(&renew) }).await;
    full.finishes(json!({"status": "success", "content": [{"type": "text", "text": "pushed\nto main"}]}))
        .await;

    let free = stage.call("work", "free");
    free.proposes(json!({"name": "read", "arguments": {"path": "README.md"}})).await;
    free.claims(60).await;
    free.finishes(json!({"status": "error", "content": "no such file"})).await;
    let blocked = stage.call("work", "blocked");
    blocked.proposes(json!({"name": "format-disk", "arguments": {"disk": "sda"}})).await;

    let masked = stage.call("work", "masked");
    let command = "curl -H 'Authorization: Bearer 4f1d8a0c9b7e6d5c4b3a29181706f5e4' https://api.example";
    masked.asks(command).await;
    masked.decides("user:bob", json!({"decision": "deny", "comment": "not with that token"})).await;
}

pub(super) async fn play_decisions(stage: &GoldenStage) {
    let edited = stage.call("work", "edited");
    edited.asks("rm -r build").await;
    let arguments = json!({"command": "rm -r build/tmp"});
    edited.decides("user:ada", json!({"decision": "allow_once", "arguments": arguments})).await;
    edited.runs().await;

    let granted = stage.call("work", "granted");
    granted.asks("make check").await;
    let pattern = json!({"decision": "allow_session", "scope": {"command": "make *"}, "agents": "any"});
    let seq = granted.decides("user:ada", pattern).await.response.expect("decided").seq;
    let by_grant = stage.call("work", "by-grant");
    assert_eq!(by_grant.asks("make docs").await.state, CallState::Allowed);
    by_grant.runs().await;
    stage.send("user:bob", operations::RevokeGrant { thread: granted.thread.clone(), seq }).await;
    // This one has limits, new limits, and an end.
    let counted = stage.call("counted", "granted");
    counted.asks("make lint").await;
    let limited = json!({"decision": "allow_session", "scope": "tool", "expiresInSeconds": 600, "uses": 1});
    let seq = counted.decides("user:ada", limited).await.response.expect("decided").seq;
    let body = read_body(&json!({"expiresInSeconds": 3_600, "uses": 2}));
    stage.send("user:bob", operations::ProlongGrant { thread: counted.thread.clone(), seq, body }).await;
    for id in ["first-use", "last-use"] {
        let used = stage.call("counted", id);
        assert_eq!(used.asks(&format!("make {id}")).await.state, CallState::Allowed);
        used.runs().await;
    }
    // This grant stays.
    let kept = stage.call("work", "kept-grant");
    kept.asks("cargo fmt").await;
    kept.decides("user:ada", json!({"decision": "allow_session", "scope": "exact"})).await;

    let voted = stage.call("work", "voted");
    voted.proposes(json!({"name": "deploy", "arguments": {"to": "staging"}})).await;
    voted.decides("user:ada", json!({"decision": "allow_once", "comment": "looks fine"})).await;
    voted.decides("user:bob", json!({"decision": "allow_once"})).await;
    voted.runs().await;

    let denied = stage.call("work", "denied");
    denied.asks("git push --force").await;
    denied.decides("user:ada", json!({"decision": "deny", "comment": "never"})).await;
    let again = stage.call("work", "denied-again");
    assert_eq!(again.asks("git push --force").await.state, CallState::Denied);

    let cancelled = stage.call("work", "cancelled");
    cancelled.asks("sleep 1").await;
    let (thread, id, body) =
        (cancelled.thread.clone(), cancelled.id.clone(), read_body(&json!({"reason": "the user left"})));
    stage.send("agent:bot", operations::CancelCall { thread, id, body }).await;
}

/// Bob decides for Ada and for Cyd. One of the delegations stays.
pub(super) async fn play_delegations(stage: &GoldenStage) {
    let hands_over = async |person: &str, comment: &str| {
        let body = json!({"to": "user:bob", "expiresInSeconds": 5_184_000, "comment": comment});
        stage.send(person, operations::SetDelegation { body: read_body(&body) }).await.seq
    };
    let of_cyd = hands_over("user:cyd", "travelling").await;
    hands_over("user:ada", "on leave").await;
    let for_ada = stage.call("work", "for-ada");
    for_ada.asks("make release").await;
    for_ada.decides("user:bob", json!({"decision": "allow_once", "onBehalfOf": "user:ada"})).await;
    for_ada.runs().await;
    let for_cyd = stage.call("work", "for-cyd");
    for_cyd.proposes(json!({"name": "drop", "arguments": {"table": "old"}})).await;
    for_cyd.decides("user:bob", json!({"decision": "allow_once", "onBehalfOf": "user:cyd"})).await;
    for_cyd.decides("user:ada", json!({"decision": "allow_once"})).await;
    let body = read_body(&json!({"comment": "back again"}));
    stage.send("user:bob", operations::EndDelegation { seq: of_cyd, body }).await;
}

pub(super) async fn play_due_times(stage: &GoldenStage) {
    let expired = stage.call("work", "expired");
    expired.proposes(json!({"name": "ping", "arguments": {"host": "a"}})).await;
    stage.passes(61);
    assert_eq!(expired.is_decided().await.state, CallState::Denied);

    let escalated = stage.call("work", "escalated");
    escalated.proposes(json!({"name": "deploy", "arguments": {"to": "production"}})).await;
    stage.passes(5 * 60);
    stage.sees(EventType::ApprovalReminder).await;
    stage.passes(5 * 60);
    stage.sees(EventType::ApprovalEscalated).await;
    escalated.decides("user:cyd", json!({"decision": "deny", "comment": "on Monday"})).await;
}

pub(super) async fn play_repairs(stage: &GoldenStage) {
    let unused = stage.call("work", "taken-back");
    unused.asks("make install").await;
    unused.allows().await;
    let (thread, id) = (unused.thread.clone(), unused.id.clone());
    let body = read_body(&json!({"comment": "too early"}));
    stage.send("user:bob", operations::TakeBackApproval { thread, id, body }).await;

    let lost = stage.call("work", "lost");
    lost.asks("make backup").await;
    lost.allows().await;
    lost.claims(60).await;
    stage.passes(120);
    let (thread, id) = (lost.thread.clone(), lost.id.clone());
    let body = read_body(&json!({"comment": "the machine is gone"}));
    stage.send("user:ada", operations::ReleaseCall { thread, id, body }).await;
    lost.runs().await;

    let other = stage.call("work", "mismatch");
    other.asks("make test").await;
    other.allows().await;
    other.claims(60).await;
    let ran = json!({"status": "success", "content": "ok", "ranArguments": {"command": "make test -j8"}});
    other.finishes(ran).await;

    let flagged = stage.call("work", "flagged");
    flagged.asks("make clean").await;
    flagged.allows().await;
    flagged.runs().await;
    let (thread, id) = (flagged.thread.clone(), flagged.id.clone());
    let body = read_body(&json!({"comment": "it removed my files"}));
    stage.send("user:bob", operations::FlagCall { thread, id, body }).await;

    let erased = stage.call("work", "erased");
    erased.asks("echo a name that has to go").await;
    erased.decides("user:ada", json!({"decision": "allow_once", "comment": "of Ada's customer"})).await;
    erased.runs().await;
    let (thread, id) = (erased.thread.clone(), erased.id.clone());
    let body = read_body(&json!({"reason": "request 17"}));
    stage.send("user:ada", operations::EraseCall { thread, id, body }).await;
}

/// Leaves calls in each state that can go on.
pub(super) async fn leave_calls_open(stage: &GoldenStage) {
    let pending = stage.call("open", "pending");
    pending.asks("make release").await;
    // The last rows of the log decide this one.
    stage.call("shell", "left").asks("make left").await;
    let half = stage.call("open", "half-voted");
    half.proposes(json!({"name": "drop", "arguments": {"table": "orders"}})).await;
    half.decides("user:ada", json!({"decision": "allow_once"})).await;
    let allowed = stage.call("open", "allowed");
    allowed.asks("make dist").await;
    allowed.allows().await;
    let running = stage.call("open", "running");
    running.asks("make world").await;
    running.allows().await;
    running.claims(LONGEST_LEASE).await;
}
