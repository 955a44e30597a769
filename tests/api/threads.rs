//! `GET /v1/threads` and `GET /v1/threads/{thread}`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

#[tokio::test]
async fn unknown_thread_is_refused() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.get("/v1/threads/t").await, @"404 unknown_thread: there is no thread t");
        assert_snapshot!(ada.get("/v1/threads/t?verbose=1").await, @r#"
        422 invalid: unknown parameter "verbose"; this path has none
        parameter: "verbose"
        "#);
        assert_snapshot!(ada.get("/v1/threads?limit=0").await, @r#"
        422 invalid: limit must be a number from 1 to 1000, not "0"
        parameter: "limit"
        "#);
        assert_snapshot!(ada.get("/v1/threads?after=x").await, @r#"
        422 invalid: "x" is not a cursor; use the `next` of the page before, the seq of an event, or the `id` of a message
        parameter: "after"
        "#);
    })
    .await;
}

#[tokio::test]
async fn thread_shows_its_calls_and_state() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.agent("builder").proposes("call_2").await;
        world.person("ada").denies("call_1").await;
        assert_snapshot!(world.person("ada").get("/v1/threads/t").await, @r#"
        200
        {
          "threadId": "t",
          "firstEventAt": "2026-01-31T12:00:00.000Z",
          "lastEventAt": "2026-01-31T12:00:00.000Z",
          "lastSeq": 7,
          "calls": 2,
          "pending": 1,
          "mode": "interactive"
        }
        "#);
        world.agent("builder").post("/v1/threads/t/close", "{}").await;
        assert_snapshot!(world.person("ada").get("/v1/threads/t").await, @r#"
        200
        {
          "threadId": "t",
          "firstEventAt": "2026-01-31T12:00:00.000Z",
          "lastEventAt": "2026-01-31T12:00:00.000Z",
          "lastSeq": 10,
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
async fn threads_are_listed_by_latest_activity() {
    over_http(ASK, async |world| {
        for (thread, id) in [("t", "a"), ("t2", "a"), ("t3", "a"), ("t", "b")] {
            world.agent("builder").in_thread(thread).proposes(id).await;
        }
        let page = async |query: &str| {
            let page = world.person("ada").get(&format!("/v1/threads?{query}")).await;
            let threads: Vec<serde_json::Value> =
                serde_json::from_str(&page.member("threads")).expect("threads");
            let names: Vec<_> = threads.iter().filter_map(|thread| thread["threadId"].as_str()).collect();
            (names.join(" "), page.member("next"))
        };
        assert_eq!(page("").await, ("t t3 t2".to_owned(), "null".to_owned()));
        let (first, next) = page("limit=2").await;
        assert_eq!(first, "t t3");
        assert_eq!(page(&format!("limit=2&after={next}")).await, ("t2".to_owned(), "null".to_owned()));
    })
    .await;
}
