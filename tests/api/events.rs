//! `GET /v1/events` and `GET /v1/threads/{thread}/events`, page by page.

use crate::ASK;
use countersign_tests::{HttpAnswer, over_http};
use insta::assert_snapshot;

#[tokio::test]
async fn invalid_page_of_events_is_refused() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.get("/v1/events?after=1.5").await, @r#"
        422 invalid: "1.5" is not a cursor; use the `next` of the page before, the seq of an event, or the `id` of a message
        parameter: "after"
        "#);
        assert_snapshot!(ada.get("/v1/threads/t/events?limit=all").await, @r#"
        422 invalid: limit must be a number from 1 to 1000, not "all"
        parameter: "limit"
        "#);
        assert_snapshot!(ada.get("/v1/events?from=1").await, @r#"
        422 invalid: unknown parameter "from"; the parameters are after, limit, thread, type, tool, principal, since and until
        parameter: "from"
        "#);
    })
    .await;
}

#[tokio::test]
async fn invalid_event_filter_is_refused() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.get("/v1/events?type=TOOL_CALLS").await, @r#"
        422 invalid: type: there is no event type "TOOL_CALLS"
        parameter: "type"
        "#);
        assert_snapshot!(ada.get("/v1/events?type=").await, @r#"
        422 invalid: type: there is no event type ""
        parameter: "type"
        "#);
        assert_snapshot!(ada.get("/v1/events?state=pending").await, @r#"
        422 invalid: unknown parameter "state"; the parameters are after, limit, thread, type, tool, principal, since and until
        parameter: "state"
        "#);
        assert_snapshot!(ada.get("/v1/events?after=1&after=2").await, @r#"
        422 invalid: after is given twice
        parameter: "after"
        "#);
        assert_snapshot!(ada.get("/v1/events?%FF=1").await, @r#"
        422 invalid: %FF is not UTF-8
        parameter: "%FF"
        "#);
    })
    .await;
}

#[tokio::test]
async fn event_page_contains_only_matching_events() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("a").await;
        world.agent("tester").in_thread("t2").proposes("b").await;
        world.person("ada").denies("a").await;
        let seqs = async |query: &str| {
            let page = world.person("ada").get(&format!("/v1/events?{query}")).await;
            let events: Vec<serde_json::Value> =
                serde_json::from_str(&page.member("events")).expect("events");
            events.iter().filter_map(|event| event["seq"].as_i64()).collect::<Vec<_>>()
        };
        assert_eq!(seqs("type=TOOL_CALL").await, [2, 4]);
        assert_eq!(seqs("type=TOOL_CALL&type=TOOL_RESULT").await, [2, 4, 7]);
        assert_eq!(seqs("type=TOOL_CALL%2CTOOL_RESULT").await, [2, 4, 7]);
        assert_eq!(seqs("thread=t2").await, [4, 5]);
        assert_eq!(seqs("principal=agent:tester&type=TOOL_CALL").await, [4]);
        assert_eq!(seqs("until=2026-01-31T12:00:00Z").await, [0_i64; 0]);
    })
    .await;
}

/// Returns a page's events, one per line.
fn lines(page: &HttpAnswer) -> String {
    let events: Vec<serde_json::Value> = serde_json::from_str(&page.member("events")).expect("events");
    let line = |event: &serde_json::Value| {
        let part = |name: &str| event[name].to_string().replace('"', "");
        format!("{} {} by {}: {}", event["seq"], part("type"), part("principal"), event["data"])
    };
    events.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn empty_log_is_an_empty_page() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").get("/v1/events").await, @r#"
        200
        {
          "events": [
            {
              "seq": 1,
              "threadId": "",
              "type": "POLICY_SET",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "system:countersign",
              "data": {
                "text": "default = \"ask\"",
                "hash": "[hash:policy]",
                "source": "the program that created the log"
              },
              "hash": "048d8f6aaccf8b7f30bdc4b6ab42232fd50fe3a81d495531ce9778c2883a9c77"
            }
          ],
          "next": null,
          "tip": 1
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn log_lists_events_in_order() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        ada.allows("call_1").await;
        builder.claims_as("call_1", "worker-7").await;
        builder.finishes_with("call_1", r#""a.txt\nb.txt""#).await;
        assert_snapshot!(lines(&ada.get("/v1/events").await), @r#"
        1 POLICY_SET by system:countersign: {"hash":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51","source":"the program that created the log","text":"default = \"ask\""}
        2 TOOL_CALL by agent:builder: {"arguments":{"command":"ls"},"argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db","id":"call_1","name":"bash"}
        3 TOOL_APPROVAL_REQUEST by agent:builder: {"basis":"default","options":["allow_once","allow_session","deny"],"policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51","reason":"no rule matches this call","suggestedScopes":[{"says":"command `ls **`","scope":{"command":"ls **"}}],"toolCallId":"call_1"}
        4 TOOL_APPROVAL_RESPONSE by user:ada: {"argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db","decision":"allow_once","policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51","source":"approver","toolCallId":"call_1"}
        5 TOOL_EXECUTION_STARTED by agent:builder: {"argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db","executor":"worker-7","leaseExpiresAt":"2026-01-31T12:15:00.000Z","toolCallId":"call_1"}
        6 TOOL_RESULT by agent:builder: {"content":"a.txt\nb.txt","status":"success","toolCallId":"call_1"}
        "#);
        assert_snapshot!(ada.get("/v1/events?after=4").await, @r#"
        200
        {
          "events": [
            {
              "seq": 5,
              "threadId": "t",
              "type": "TOOL_EXECUTION_STARTED",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "agent:builder",
              "data": {
                "toolCallId": "call_1",
                "executor": "worker-7",
                "argumentsHash": "[hash:ls]",
                "leaseExpiresAt": "2026-01-31T12:15:00.000Z"
              },
              "hash": "9ab05b0c9d46b15a1214f9260c44a606a8fc367f436940ec176b8d609a0fef58"
            },
            {
              "seq": 6,
              "threadId": "t",
              "type": "TOOL_RESULT",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "agent:builder",
              "data": {"toolCallId":"call_1","status":"success","content":"a.txt\nb.txt"},
              "hash": "a0bb8fdc01fa6d4eee0b83cf63ec5d93381befd2df0b0cfec72f94ac81c89390"
            }
          ],
          "next": null,
          "tip": 6
        }
        "#);
        assert_eq!(ada.get("/v1/threads/t/events").await.body, ada.get("/v1/events?after=1").await.body);
        assert_eq!(lines(&ada.get("/v1/threads/t2/events").await), "");
    })
    .await;
}

#[tokio::test]
async fn event_pages_continue_until_next_is_null() {
    over_http(ASK, async |world| {
        for id in ["a", "b"] {
            world.agent("builder").proposes(id).await;
        }
        let page = async |query: &str| {
            let page = world.person("ada").get(&format!("/v1/events?{query}")).await;
            let events: Vec<serde_json::Value> =
                serde_json::from_str(&page.member("events")).expect("events");
            let seqs: Vec<_> = events.iter().filter_map(|event| event["seq"].as_i64()).collect();
            format!("{seqs:?} then {}", page.member("next"))
        };
        assert_eq!(page("limit=3").await, "[1, 2, 3] then 3");
        assert_eq!(page("limit=3&after=3").await, "[4, 5] then null");
        assert_eq!(page("limit=5").await, "[1, 2, 3, 4, 5] then null");
        assert_eq!(page("after=5").await, "[] then null");
    })
    .await;
}
