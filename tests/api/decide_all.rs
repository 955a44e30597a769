//! `POST /v1/approvals/decide`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

const DECIDE: &str = "/v1/approvals/decide";

#[tokio::test]
async fn empty_or_oversized_list_of_decisions_is_refused() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.post(DECIDE, r#"{"decisions":[]}"#).await, @"422 invalid: decisions: must contain 1 to 1000 decisions, not 0");
        let one = r#"{"threadId":"t","id":"a","decision":"deny"}"#;
        let many = format!(r#"{{"decisions":[{}]}}"#, vec![one; 1_001].join(","));
        assert_snapshot!(ada.post(DECIDE, &many).await, @"422 invalid: decisions: must contain 1 to 1000 decisions, not 1001");
        assert_snapshot!(ada.post(DECIDE, r#"{"decisions":[{"threadId":"t","id":"a","decision":"maybe"}]}"#).await, @r#"
        422 invalid: unknown value "maybe"; use one of allow_once, allow_session, deny at line 1 column 58
        column: 58
        line: 1
        "#);
        assert_snapshot!(ada.post(DECIDE, "{}").await, @r"
        422 invalid: missing field `decisions` at line 1 column 2
        column: 2
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn each_decision_has_its_own_result_in_order() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("a").await;
        world.agent("builder").in_thread("t2").proposes("a").await;
        let body = r#"{"decisions":[
            {"threadId":"t","id":"a","decision":"allow_once"},
            {"threadId":"t9","id":"a","decision":"deny"},
            {"threadId":"t2","id":"a","decision":"deny","comment":"not now"},
            {"threadId":"t","id":"a","decision":"deny"}
        ]}"#;
        let answer = world.person("ada").post(DECIDE, body).await;
        let results: Vec<serde_json::Value> =
            serde_json::from_str(&answer.member("results")).expect("results");
        let lines: Vec<_> = results
            .iter()
            .map(|item| {
                let (call, problem) = (&item["call"]["state"], &item["problem"]["code"]);
                format!("{}/{}: {call} {problem}", item["threadId"], item["id"]).replace('"', "")
            })
            .collect();
        assert_eq!(answer.status, 200);
        assert_snapshot!(lines.join("\n"), @"
        t/a: allowed null
        t9/a: null unknown_call
        t2/a: denied null
        t/a: null already_decided
        ");
        assert_snapshot!(results[3]["problem"], @r#"{"code":"already_decided","detail":"decided already: allow_once by user:ada at 2026-01-31T12:00:00.000Z","response":{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51","principal":"user:ada","seq":6,"source":"approver"},"status":409,"title":"Conflict"}"#);
    })
    .await;
}

#[tokio::test]
async fn bulk_decisions_follow_the_rules_of_single_ones() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("a").await;
        let body = r#"{"decisions":[{"threadId":"t","id":"a","decision":"allow_once"}]}"#;
        assert_snapshot!(world.agent("builder").post(DECIDE, body).await, @"403 not_permitted: the role agent may not decide");
        let state = world.person("ada").get("/v1/threads/t/tool-calls/a").await.text("state");
        assert_eq!(state, "pending");
    })
    .await;
}
