//! `POST /v1/approvals/decide`

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;

const DECIDE: &str = "/v1/approvals/decide";

#[tokio::test]
async fn none_and_too_many_are_refused_as_a_whole() {
    story(ASK, async |town| {
        let ada = town.person("ada");
        assert_snapshot!(ada.post(DECIDE, r#"{"decisions":[]}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "decisions: there are 0, and a request has 1 to 1000"
        }
        "#);
        let one = r#"{"threadId":"t1","id":"a","decision":"deny"}"#;
        let many = format!(r#"{{"decisions":[{}]}}"#, vec![one; 1_001].join(","));
        assert_snapshot!(ada.post(DECIDE, &many).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "decisions: there are 1001, and a request has 1 to 1000"
        }
        "#);
        assert_snapshot!(ada.post(DECIDE, r#"{"decisions":[{"threadId":"t1","id":"a","decision":"maybe"}]}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "there is no \"maybe\" here; there is allow_once, allow_session, deny at line 1 column 59",
          "line": 1,
          "column": 59
        }
        "#);
        assert_snapshot!(ada.post(DECIDE, "{}").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "missing field `decisions` at line 1 column 2",
          "line": 1,
          "column": 2
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn each_is_answered_for_itself_in_order() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "a").await;
        town.agent("builder").proposes("t2", "a").await;
        let body = r#"{"decisions":[
            {"threadId":"t1","id":"a","decision":"allow_once"},
            {"threadId":"t9","id":"a","decision":"deny"},
            {"threadId":"t2","id":"a","decision":"deny","comment":"not now"},
            {"threadId":"t1","id":"a","decision":"deny"}
        ]}"#;
        let answer = town.person("ada").post(DECIDE, body).await;
        let results: Vec<serde_json::Value> =
            serde_json::from_str(&answer.member("results")).expect("results");
        let told: Vec<_> = results
            .iter()
            .map(|one| {
                let (call, problem) = (&one["call"]["state"], &one["problem"]["code"]);
                format!("{}/{}: {call} {problem}", one["threadId"], one["id"]).replace('"', "")
            })
            .collect();
        assert_eq!(answer.status, 200);
        assert_snapshot!(told.join("\n"), @"
        t1/a: allowed null
        t9/a: null unknown_call
        t2/a: denied null
        t1/a: null already_decided
        ");
        assert_snapshot!(results[3]["problem"], @r#"{"code":"already_decided","detail":"decided already: allow_once by user:ada at 2026-01-31T12:00:00.000Z","response":{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51","principal":"user:ada","seq":5,"source":"approver"},"status":409,"title":"Conflict"}"#);
    })
    .await;
}

#[tokio::test]
async fn nobody_decides_in_bulk_what_they_may_not_decide_alone() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "a").await;
        let body = r#"{"decisions":[{"threadId":"t1","id":"a","decision":"allow_once"}]}"#;
        assert_snapshot!(town.agent("builder").post(DECIDE, body).await, @r#"
        200
        {
          "results": [
            {
              "threadId": "t1",
              "id": "a",
              "problem": {
                "title": "Forbidden",
                "status": 403,
                "code": "not_an_approver",
                "detail": "agent:builder is no person, and only people decide"
              }
            }
          ]
        }
        "#);
        let state = town.person("ada").get("/v1/threads/t1/tool-calls/a").await.text("state");
        assert_eq!(state, "pending");
    })
    .await;
}
