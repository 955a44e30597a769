//! `GET /v1/approvals/pending` and `GET /v1/threads/{thread}/approvals/pending`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

const PENDING: &str = "/v1/approvals/pending";

#[tokio::test]
async fn invalid_page_of_pending_calls_is_refused() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.get(&format!("{PENDING}?after=x")).await, @r#"
        422 invalid: "x" is not a cursor; use the `next` of the page before, the seq of an event, or the `id` of a message
        parameter: "after"
        "#);
        assert_snapshot!(ada.get(&format!("{PENDING}?after=-1")).await, @r#"
        422 invalid: "-1" is not a cursor; use the `next` of the page before, the seq of an event, or the `id` of a message
        parameter: "after"
        "#);
        assert_snapshot!(ada.get(&format!("{PENDING}?limit=0")).await, @r#"
        422 invalid: limit must be a number from 1 to 1000, not "0"
        parameter: "limit"
        "#);
        assert_snapshot!(ada.get(&format!("{PENDING}?limit=1001")).await, @r#"
        422 invalid: limit must be a number from 1 to 1000, not "1001"
        parameter: "limit"
        "#);
        assert_snapshot!(ada.get(&format!("{PENDING}?page=2")).await, @r#"
        422 invalid: unknown parameter "page"; the parameters are after, limit, thread, tool, principal, agent, project, since and until
        parameter: "page"
        "#);
    })
    .await;
}

#[tokio::test]
async fn pending_list_contains_all_that_decisions_need() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        assert_snapshot!(ada.get(PENDING).await, @r#"
        200
        {"pending":[],"next":null}
        "#);
        builder.proposes("call_1").await;
        builder.in_thread("t2").proposes("call_1").await;
        ada.denies("call_1").await;
        assert_snapshot!(ada.get(PENDING).await, @r#"
        200
        {
          "pending": [
            {
              "threadId": "t2",
              "id": "call_1",
              "name": "bash",
              "state": "pending",
              "arguments": {"command":"ls"},
              "argumentsHash": "[hash:ls]",
              "proposal": {"seq":4,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
              "request": {
                "seq": 5,
                "requestedAt": "2026-01-31T12:00:00.000Z",
                "options": ["allow_once","allow_session","deny"],
                "reason": "no rule matches this call",
                "basis": "default",
                "availableLevels": ["user","admin","super_admin"],
                "defaultLevel": "user",
                "quorum": 1,
                "denials": 1,
                "similarOperationsCount": 0,
                "scopes": [
                  {"scope":"exact","says":"this exact call"},
                  {"scope":{"command": "ls **"},"says":"command `ls **`"},
                  {"scope":"tool","says":"the whole tool"}
                ],
                "policy": "[hash:policy]"
              }
            }
          ],
          "next": null
        }
        "#);
        assert_snapshot!(ada.get("/v1/threads/t/approvals/pending").await, @r#"
        200
        {"pending":[],"next":null}
        "#);
        assert_eq!(ada.get("/v1/threads/t2/approvals/pending").await.body, ada.get(PENDING).await.body);
    })
    .await;
}

#[tokio::test]
async fn pending_pages_have_no_gap_and_no_repeat() {
    over_http(ASK, async |world| {
        for (thread, id) in [("t", "a"), ("t2", "b"), ("t", "c"), ("t", "d"), ("t2", "e")] {
            world.agent("builder").in_thread(thread).proposes(id).await;
        }
        for (path, expected) in [(PENDING, "abcde"), ("/v1/threads/t/approvals/pending", "acd")] {
            let (mut seen, mut after) = (String::new(), "0".to_owned());
            while after != "null" {
                let page = world.person("ada").get(&format!("{path}?limit=2&after={after}")).await;
                let calls: Vec<serde_json::Value> =
                    serde_json::from_str(&page.member("pending")).expect("calls");
                seen.extend(calls.iter().filter_map(|call| call["id"].as_str()));
                after = page.member("next");
            }
            assert_eq!(seen, expected);
        }
    })
    .await;
}

#[tokio::test]
async fn pending_calls_are_filtered_by_every_filter() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("a").await;
        world.clock().advance(std::time::Duration::from_mins(1));
        let deploy = r#"{"id":"b","name":"deploy","arguments":{}}"#;
        world.agent("tester").post("/v1/threads/t2/tool-calls", deploy).await;
        let found = async |path: &str| {
            let page = world.person("ada").get(path).await;
            let calls: Vec<serde_json::Value> = serde_json::from_str(&page.member("pending")).expect("calls");
            calls.iter().filter_map(|call| call["id"].as_str()).collect::<Vec<_>>().join(" ")
        };
        let all_threads = "/v1/approvals/pending";
        assert_eq!(found(all_threads).await, "a b");
        assert_eq!(found(&format!("{all_threads}?thread=t2")).await, "b");
        assert_eq!(found(&format!("{all_threads}?tool=bash")).await, "a");
        assert_eq!(found(&format!("{all_threads}?principal=agent:tester")).await, "b");
        assert_eq!(found(&format!("{all_threads}?since=2026-01-31T12:00:30Z")).await, "b");
        assert_eq!(found(&format!("{all_threads}?until=2026-01-31T12:00:30Z")).await, "a");
        assert_eq!(found("/v1/threads/t/approvals/pending?tool=deploy").await, "");
    })
    .await;
}
