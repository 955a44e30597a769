//! `GET /v1/threads` and `GET /v1/threads/{thread}`

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;

#[tokio::test]
async fn a_thread_that_is_not_there_is_refused() {
    story(ASK, async |town| {
        let ada = town.person("ada");
        assert_snapshot!(ada.get("/v1/threads/t1").await, @r#"
        404
        {"title":"Not Found","status":404,"code":"unknown_thread","detail":"there is no thread t1"}
        "#);
        assert_snapshot!(ada.get("/v1/threads/t1?verbose=1").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "unknown parameter \"verbose\"; this path has none",
          "parameter": "verbose"
        }
        "#);
        assert_snapshot!(ada.get("/v1/threads?limit=0").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "limit must be a number from 1 to 1000, not \"0\"",
          "parameter": "limit"
        }
        "#);
        assert_snapshot!(ada.get("/v1/threads?after=x").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "\"x\" is not a cursor; use the `next` of the page before, or the seq of an event",
          "parameter": "after"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_thread_is_seen_from_outside() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.agent("builder").proposes("t1", "call_2").await;
        town.person("ada").decides("t1", "call_1", "deny").await;
        assert_snapshot!(town.person("ada").get("/v1/threads/t1").await, @r#"
        200
        {
          "threadId": "t1",
          "firstEventAt": "2026-01-31T12:00:00.000Z",
          "lastEventAt": "2026-01-31T12:00:00.000Z",
          "lastSeq": 6,
          "calls": 2,
          "pending": 1,
          "mode": "interactive"
        }
        "#);
        town.agent("builder").post("/v1/threads/t1/close", "{}").await;
        assert_snapshot!(town.person("ada").get("/v1/threads/t1").await, @r#"
        200
        {
          "threadId": "t1",
          "firstEventAt": "2026-01-31T12:00:00.000Z",
          "lastEventAt": "2026-01-31T12:00:00.000Z",
          "lastSeq": 9,
          "calls": 2,
          "pending": 0,
          "mode": "interactive",
          "closedAt": "2026-01-31T12:00:00.000Z"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn the_thread_that_something_happened_in_last_comes_first() {
    story(ASK, async |town| {
        for (thread, id) in [("t1", "a"), ("t2", "a"), ("t3", "a"), ("t1", "b")] {
            town.agent("builder").proposes(thread, id).await;
        }
        let page = async |query: &str| {
            let page = town.person("ada").get(&format!("/v1/threads?{query}")).await;
            let threads: Vec<serde_json::Value> =
                serde_json::from_str(&page.member("threads")).expect("threads");
            let names: Vec<_> = threads.iter().filter_map(|thread| thread["threadId"].as_str()).collect();
            (names.join(" "), page.member("next"))
        };
        assert_eq!(page("").await, ("t1 t3 t2".to_owned(), "null".to_owned()));
        let (first, next) = page("limit=2").await;
        assert_eq!(first, "t1 t3");
        assert_eq!(page(&format!("limit=2&after={next}")).await, ("t2".to_owned(), "null".to_owned()));
    })
    .await;
}
