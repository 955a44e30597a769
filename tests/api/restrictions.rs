//! Restrictions and stricter policies apply to calls that were asked or allowed before.

use crate::ASK;
use countersign_tests::{HttpAnswer, HttpWorld, over_http};
use insta::assert_snapshot;
use std::time::Duration;

const CALLS: &str = "/v1/threads/t/tool-calls";
const MODE: &str = "/v1/threads/t/mode";
const POLICY: &str = "/v1/threads/t/policy";

/// Silence for a minute allows. Two denials deny.
const LAPSE: &str = "[[rule]]\nname = \"lapse\"\ntool = \"bash\"\nverdict = \"ask\"\nexpires = \"1m\"\n\
    onExpiry = \"allow\"\ndenials = 2\n";

const LEVELS: &str = "[approvers]\n\"user:sue\" = { level = \"super_admin\" }\n";

/// Tries to claim the usual call.
async fn claim(world: &HttpWorld) -> HttpAnswer {
    let builder = world.agent("builder");
    let hash = builder.get(&format!("{CALLS}/a")).await.member("argumentsHash");
    let body = format!(r#"{{"executor":"w","argumentsHash":{hash}}}"#);
    builder.post(&format!("{CALLS}/a/claim"), &body).await
}

/// A claim's outcome after the minute.
async fn claim_late(world: &HttpWorld) -> String {
    world.clock().advance(Duration::from_mins(1));
    claim(world).await;
    world.agent("builder").get(&format!("{CALLS}/a")).await.text("state")
}

#[tokio::test]
async fn silence_allows_only_what_was_not_denied() {
    for (denied, expected) in [(false, "running"), (true, "denied")] {
        over_http(LAPSE, async |world| {
            world.agent("builder").proposes("a").await;
            if denied {
                world.person("ada").denies("a").await;
            }
            assert_eq!(claim_late(world).await, expected);
        })
        .await;
    }
}

#[tokio::test]
async fn silence_is_judged_by_the_loaded_policy() {
    let same = format!("remember = \"1m\"\n{LAPSE}");
    let stricter = LAPSE.replace("onExpiry = \"allow\"\n", "");
    for (loaded, expected) in [(same.as_str(), "running"), (stricter.as_str(), "denied")] {
        over_http(LAPSE, async |world| {
            world.agent("builder").proposes("a").await;
            world.apply_policy(loaded).await;
            assert_eq!(claim_late(world).await, expected, "{loaded}");
        })
        .await;
    }
}

#[tokio::test]
async fn restriction_after_approval_blocks_the_claim() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.allows("a").await;
        ada.put(MODE, r#"{"mode":"auto_deny"}"#).await;
        assert_snapshot!(claim(world).await, @"409 blocked: blocked by policy:mode: the thread denies every call that needs approval (auto_deny)");
        ada.put(MODE, r#"{"mode":"interactive"}"#).await;
        assert_eq!(claim(world).await.text("state"), "running");
    })
    .await;
}

#[tokio::test]
async fn stop_cancels_allowed_calls_that_never_started() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        for thread in ["t", "t2"] {
            builder.in_thread(thread).proposes("a").await;
        }
        world.person("ada").allows("a").await;
        let stopped = world.person("ben").post("/v1/approvals/stop", r#"{"comment":"enough"}"#).await;
        assert_snapshot!(stopped, @r#"
        200
        {"denied":[{"threadId":"t2","id":"a"}],"cancelled":[{"threadId":"t","id":"a"}],"left":[]}
        "#);
        let call = builder.get(&format!("{CALLS}/a")).await;
        assert_snapshot!(call.fields(["state", "result"]), @r#"
        200
        state: "cancelled"
        result: {"at":"2026-01-31T12:00:00.000Z","content":"Cancelled by user:ben: enough","principal":"user:ben","seq":7,"status":"cancelled"}
        "#);
        assert_eq!(claim(world).await.text("code"), "not_allowed");
    })
    .await;
}

#[tokio::test]
async fn plain_user_cannot_lift_restrictions_of_others() {
    over_http(LEVELS, async |world| {
        let (sue, bob) = (world.person("sue"), world.person("bob"));
        world.agent("builder").proposes("a").await;
        sue.post("/v1/threads/t/approvals/a", r#"{"decision":"deny","scope":"tool"}"#).await;
        assert_snapshot!(bob.delete("/v1/threads/t/grants/4").await, @"403 not_eligible: user:bob cannot decide this: user:sue set this restriction; it takes level super_admin to lift it, and theirs is user");
        sue.put(POLICY, r#"{"tools":{"bash":"deny"}}"#).await;
        assert_snapshot!(bob.put(POLICY, r#"{"tools":{"bash":"default"}}"#).await, @"403 not_eligible: user:bob cannot decide this: user:sue set this restriction; it takes level super_admin to lift it, and theirs is user");
        assert_eq!(sue.put(POLICY, r#"{"tools":{"bash":"default"}}"#).await.status, 200);
        assert_eq!(sue.delete("/v1/threads/t/grants/4").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn stricter_policy_applies_to_pending_requests() {
    over_http(LEVELS, async |world| {
        world.agent("builder").proposes("a").await;
        world.apply_policy(&format!(
                "{LEVELS}[[rule]]\nname = \"up\"\ntool = \"bash\"\nverdict = \"ask\"\nlevel = \"admin\"\n"
            )).await;
        let once = r#"{"decision":"allow_once"}"#;
        assert_snapshot!(world.person("bob").post("/v1/threads/t/approvals/a", once).await, @"403 not_eligible: user:bob cannot decide this: it takes level admin, and theirs is user");
        assert_eq!(world.person("sue").allows("a").await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn policy_that_blocks_denies_pending_calls() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        builder.proposes("a").await;
        world.apply_policy("[[rule]]\nname = \"never\"\ntool = \"bash\"\nverdict = \"block\"\nreason = \"not here\"\n").await;
        let waited = builder.get_with(&format!("{CALLS}/a"), "prefer", "wait=60").await;
        assert_snapshot!(waited.fields(["state", "result"]), @r#"
        200
        state: "denied"
        result: {"at":"2026-01-31T12:00:00.000Z","content":"Blocked by policy:never: not here. This is a rule, which no approval lifts: do not retry it.","principal":"policy:never","seq":6,"status":"denied"}
        "#);
    })
    .await;
}
