//! `GET /v1/events` and `GET /v1/threads/{thread}/events`, page by page.

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;

#[tokio::test]
async fn a_page_that_cannot_be_is_refused() {
    story(ASK, async |town| {
        let ada = town.person("ada");
        assert_snapshot!(ada.get("/v1/events?after=1.5").await, @r#"
        400
        {
          "title": "Bad Request",
          "status": 400,
          "code": "bad_cursor",
          "detail": "\"1.5\" is no cursor; use the `next` of the page before, or the seq of an event"
        }
        "#);
        assert_snapshot!(ada.get("/v1/threads/t1/events?limit=all").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "limit is a number from 1 to 1000, and this is \"all\""
        }
        "#);
        assert_snapshot!(ada.get("/v1/events?from=1").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "there is no parameter \"from\"; there are after and limit"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn the_log_is_what_happened_in_order() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        assert_snapshot!(ada.get("/v1/events").await, @r#"
        200
        {"events":[],"next":null}
        "#);
        builder.proposes("t1", "call_1").await;
        ada.decides("t1", "call_1", "allow_once").await;
        builder.claims("t1", "call_1", "worker-7").await;
        builder.finishes("t1", "call_1", r#""a.txt\nb.txt""#).await;
        assert_snapshot!(ada.get("/v1/events").await, @r#"
        200
        {
          "events": [
            {
              "seq": 1,
              "threadId": "t1",
              "type": "TOOL_CALL",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "agent:builder",
              "data": {
                "id": "call_1",
                "name": "bash",
                "arguments": {"command":"ls"},
                "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db"
              },
              "hash": "b92c7731875607c56c162e8c070bf53d0b7f8a641ba76477a85b4c581f66e071"
            },
            {
              "seq": 2,
              "threadId": "t1",
              "type": "TOOL_APPROVAL_REQUEST",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "agent:builder",
              "data": {
                "toolCallId": "call_1",
                "reason": "no rule matches this tool",
                "options": ["allow_once","allow_session","deny"],
                "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
              },
              "hash": "5162c011d6299cddf305ce53f67fd72e2df225e6b0999845997f21863d4a9d96"
            },
            {
              "seq": 3,
              "threadId": "t1",
              "type": "TOOL_APPROVAL_RESPONSE",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "user:ada",
              "data": {
                "toolCallId": "call_1",
                "decision": "allow_once",
                "source": "approver",
                "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
                "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
              },
              "hash": "c814f1a38d150c67a932749f29666010110827fa50c8ebeab64a257452706dd8"
            },
            {
              "seq": 4,
              "threadId": "t1",
              "type": "TOOL_EXECUTION_STARTED",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "agent:builder",
              "data": {
                "toolCallId": "call_1",
                "executor": "worker-7",
                "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db"
              },
              "hash": "9456ae08bb3707514ee7a22e950d3f9b355aee47b61c81a64aee4e93db807542"
            },
            {
              "seq": 5,
              "threadId": "t1",
              "type": "TOOL_RESULT",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "agent:builder",
              "data": {"toolCallId":"call_1","status":"success","content":"a.txt\nb.txt"},
              "hash": "54f8d26a4555eb38560485ff203f463cdd61f77cca47e49aa3611f63b7572cc0"
            }
          ],
          "next": null
        }
        "#);
        assert_eq!(ada.get("/v1/threads/t1/events").await.body, ada.get("/v1/events").await.body);
        assert_snapshot!(ada.get("/v1/threads/t2/events").await, @r#"
        200
        {"events":[],"next":null}
        "#);
    })
    .await;
}

#[tokio::test]
async fn pages_follow_one_another_and_end_with_no_next() {
    story(ASK, async |town| {
        for id in ["a", "b"] {
            town.agent("builder").proposes("t1", id).await;
        }
        let page = async |query: &str| {
            let page = town.person("ada").get(&format!("/v1/events?{query}")).await;
            let events: Vec<serde_json::Value> =
                serde_json::from_str(&page.member("events")).expect("events");
            let seqs: Vec<_> = events.iter().filter_map(|event| event["seq"].as_i64()).collect();
            format!("{seqs:?} then {}", page.member("next"))
        };
        assert_eq!(page("limit=3").await, "[1, 2, 3] then 3");
        assert_eq!(page("limit=3&after=3").await, "[4] then null");
        assert_eq!(page("limit=4").await, "[1, 2, 3, 4] then null");
        assert_eq!(page("after=99").await, "[] then null");
    })
    .await;
}
