//! Approval levels: the approvers for each level, and escalation of an unanswered request.

use countersign_tests::{EventStreamReader, over_http};
use insta::assert_snapshot;
use std::time::Duration;

const POLICY: &str = r#"
[approvers]
"user:ada" = { level = "admin" }
"user:cyd" = { level = "super_admin" }
"user:dan" = { groups = ["ops"] }

[[rule]]
name = "admins deploy"
tool = "deploy"
verdict = "ask"
level = "admin"
defaultLevel = "super_admin"

[[rule]]
name = "ops restart"
tool = "restart"
verdict = "ask"
approvers = ["@ops"]

[[rule]]
name = "in time"
tool = "page"
verdict = "ask"
expires = "1h"
onExpiry = "allow"
remindAfter = "5m"
escalateAfter = "10m"
escalateTo = "admin"
"#;

const CALLS: &str = "/v1/threads/t/tool-calls";
const DECIDE: &str = "/v1/threads/t/approvals/call_1";

fn call(tool: &str) -> String {
    format!(r#"{{"id":"call_1","name":"{tool}","arguments":{{}}}}"#)
}

/// Returns the next event of a stream, without its hash. Skips keep-alives.
async fn next_event(events: &mut EventStreamReader) -> String {
    loop {
        let message = events.message().await;
        if message.starts_with("id:") {
            return message.split(",\"hash\"").next().expect("a part").to_owned();
        }
    }
}

#[tokio::test]
async fn approver_below_the_level_is_refused() {
    over_http(POLICY, async |world| {
        world.agent("builder").post(CALLS, &call("deploy")).await;
        let at = |level: &str| format!(r#"{{"decision":"allow_once","level":"{level}"}}"#);
        assert_snapshot!(world.person("bob").post(DECIDE, &at("admin")).await, @"403 not_eligible: user:bob cannot decide this: it takes level admin, and theirs is user");
        assert_snapshot!(world.person("ada").post(DECIDE, &at("super_admin")).await, @"403 not_eligible: user:ada cannot decide this: it takes level super_admin, and theirs is admin");
        assert_snapshot!(world.person("ada").post(DECIDE, &at("user")).await, @"403 not_eligible: user:ada cannot decide this: the request asks for level admin");
        assert_snapshot!(world.person("ada").post(DECIDE, &at("god")).await, @r#"422 invalid: level: there is no level "god"; there is user, admin, super_admin"#);
        assert_eq!(
            world.person("bob").post(DECIDE, r#"{"decision":"deny"}"#).await.text("code"),
            "not_eligible"
        );
        assert_eq!(world.person("ada").get(&format!("{CALLS}/call_1")).await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn unnamed_approver_is_told_who_may_decide() {
    over_http(POLICY, async |world| {
        world.agent("builder").post(CALLS, &call("restart")).await;
        assert_snapshot!(world.person("cyd").post(DECIDE, r#"{"decision":"deny"}"#).await, @"403 not_eligible: user:cyd cannot decide this: it is for @ops to decide");
        assert_eq!(world.person("dan").denies("call_1").await.text("state"), "denied");
    })
    .await;
}

#[tokio::test]
async fn request_offers_the_possible_levels() {
    over_http(POLICY, async |world| {
        let ada = world.person("ada");
        let proposed = world.agent("builder").post(CALLS, &call("deploy")).await;
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&proposed.member("request")).expect("JSON")["level"],
            "admin"
        );
        let shown = ada.get(&format!("{CALLS}/call_1")).await;
        assert_snapshot!(shown.shown("request"), @r#"{"availableLevels":["admin","super_admin"],"basis":"rule","defaultLevel":"super_admin","denials":1,"level":"admin","options":["allow_once","allow_session","deny"],"policy":"[hash:policy]","quorum":1,"reason":"the rule says so","requestedAt":"2026-01-31T12:00:00.000Z","rule":"admins deploy","scopes":[{"says":"this exact call","scope":"exact"},{"says":"the whole tool","scope":"tool"}],"seq":3,"similarOperationsCount":0}"#);
        let listed = ada.get("/v1/approvals/pending").await;
        let listed: serde_json::Value = serde_json::from_str(&listed.member("pending")).expect("calls");
        assert_eq!(listed[0]["request"].to_string(), shown.member("request"));
        assert_eq!(
            ada.post(DECIDE, r#"{"decision":"allow_once"}"#).await.text("code"),
            "not_eligible",
            "the default level is higher"
        );
        let decided = ada.post(DECIDE, r#"{"decision":"allow_once","level":"admin"}"#).await;
        assert_snapshot!(decided.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","level":"admin","policy":"[hash:policy]","principal":"user:ada","rule":"admins deploy","seq":4,"source":"approver"}"#);
    })
    .await;
}

#[tokio::test]
async fn request_without_a_level_accepts_any_level() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        let shown = world.person("bob").get(&format!("{CALLS}/call_1")).await;
        let request: serde_json::Value = serde_json::from_str(&shown.member("request")).expect("a request");
        assert_snapshot!(request["availableLevels"], @r#"["user","admin","super_admin"]"#);
        assert_snapshot!(request["defaultLevel"], @r#""user""#);
        let decided = world.person("ada").post(DECIDE, r#"{"decision":"allow_once","level":"admin"}"#).await;
        assert_eq!(decided.text("state"), "allowed");
        let response: serde_json::Value =
            serde_json::from_str(&decided.member("response")).expect("a response");
        assert_eq!(response["level"], "admin");
    })
    .await;
}

#[tokio::test]
async fn unanswered_request_is_reminded_and_then_escalated() {
    over_http(POLICY, async |world| {
        let (builder, bob, path) = (world.agent("builder"), world.person("bob"), format!("{CALLS}/call_1"));
        let mut events = builder.streams("/v1/threads/t/events", Some("0")).await;
        builder.post(CALLS, &call("page")).await;
        next_event(&mut events).await;
        next_event(&mut events).await;
        world.clock().advance(Duration::from_mins(5));
        assert_snapshot!(next_event(&mut events).await, @r#"
        id: 4-3b592f175933e760
        event: TOOL_APPROVAL_REMINDER
        data: {"seq":4,"threadId":"t","type":"TOOL_APPROVAL_REMINDER","timestamp":"2026-01-31T12:05:00.000Z","principal":"system:reminder","data":{"toolCallId":"call_1"}
        "#);
        world.clock().advance(Duration::from_mins(5));
        assert_snapshot!(next_event(&mut events).await, @r#"
        id: 5-3d3d6aaa121d6dbe
        event: TOOL_APPROVAL_ESCALATED
        data: {"seq":5,"threadId":"t","type":"TOOL_APPROVAL_ESCALATED","timestamp":"2026-01-31T12:10:00.000Z","principal":"system:escalation","data":{"toolCallId":"call_1","level":"admin"}
        "#);
        assert_snapshot!(bob.get(&path).await.shown("request"), @r#"{"availableLevels":["admin","super_admin"],"basis":"rule","defaultLevel":"admin","denials":1,"escalateAt":"2026-01-31T12:10:00.000Z","escalateTo":"admin","escalated":{"at":"2026-01-31T12:10:00.000Z","seq":5},"expiresAt":"2026-01-31T13:00:00.000Z","level":"admin","onExpiry":"allow","options":["allow_once","allow_session","deny"],"policy":"[hash:policy]","quorum":1,"reason":"the rule says so","remindAt":"2026-01-31T12:05:00.000Z","reminded":{"at":"2026-01-31T12:05:00.000Z","seq":4},"requestedAt":"2026-01-31T12:00:00.000Z","rule":"in time","scopes":[{"says":"this exact call","scope":"exact"},{"says":"the whole tool","scope":"tool"}],"seq":3,"similarOperationsCount":0}"#);
        assert_snapshot!(bob.post(DECIDE, r#"{"decision":"allow_once"}"#).await, @"403 not_eligible: user:bob cannot decide this: it takes level admin, and theirs is user");
        world.clock().advance(Duration::from_mins(50));
        assert_snapshot!(next_event(&mut events).await, @r#"
        id: 6-edffddb484c971e3
        event: TOOL_APPROVAL_RESPONSE
        data: {"seq":6,"threadId":"t","type":"TOOL_APPROVAL_RESPONSE","timestamp":"2026-01-31T13:00:00.000Z","principal":"system:expiry","data":{"toolCallId":"call_1","decision":"allow_once","source":"expiry","rule":"in time","argumentsHash":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","policy":"eaec8f04d79629ec331f0c58fa2ee466e74e44235265e6635f03faac6e965d1d"}
        "#);
        assert_eq!(bob.get(&path).await.text("state"), "allowed", "the rule allows a call that is not answered");
    })
    .await;
}
