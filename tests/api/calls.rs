//! `GET /v1/tool-calls` and `GET /v1/threads/{thread}/tool-calls`

use crate::ASK;
use countersign_tests::api::{Town, story};
use insta::assert_snapshot;
use std::time::Duration;

#[tokio::test]
async fn a_filter_that_cannot_be_meant_is_refused_by_its_name() {
    story(ASK, async |town| {
        let ada = town.person("ada");
        assert_snapshot!(ada.get("/v1/tool-calls?state=waiting").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "state: there is no \"waiting\" here; there is pending, allowed, denied, running, finished, unknown, cancelled",
          "parameter": "state"
        }
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?since=yesterday").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "since: \"yesterday\" is not an RFC 3339 time such as 2026-01-31T12:00:00.000Z",
          "parameter": "since"
        }
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?principal=ada").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "principal: \"ada\" does not begin with user:, agent:, policy: or system:",
          "parameter": "principal"
        }
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?tool=").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "tool: it is empty",
          "parameter": "tool"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_parameter_that_stands_twice_or_is_none_is_refused() {
    story(ASK, async |town| {
        let ada = town.person("ada");
        assert_snapshot!(ada.get("/v1/tool-calls?tool=%FF").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "tool is not UTF-8",
          "parameter": "tool"
        }
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?state=denied&state=allowed").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "state is given twice",
          "parameter": "state"
        }
        "#);
        assert_snapshot!(ada.get("/v1/threads/t1/tool-calls?thread=t2").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "unknown parameter \"thread\"; the parameters are after, limit, tool, principal, state, since and until",
          "parameter": "thread"
        }
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?after=-1").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "\"-1\" is not a cursor; use the `next` of the page before, or the seq of an event",
          "parameter": "after"
        }
        "#);
    })
    .await;
}

/// The names of the calls of a list, and its `next`.
async fn calls(town: &Town, path: &str) -> String {
    let page = town.person("ada").get(path).await;
    assert_eq!(page.status, 200, "{page}");
    let calls: Vec<serde_json::Value> = serde_json::from_str(&page.member("calls")).expect("calls");
    let name = |call: &serde_json::Value| format!("{}/{}", call["threadId"], call["id"]).replace('"', "");
    let names: Vec<_> = calls.iter().map(name).collect();
    names.join(" ")
}

#[tokio::test]
async fn the_newest_call_comes_first_and_every_filter_holds() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        builder.proposes("t1", "a").await;
        town.clock.advance(Duration::from_mins(1));
        let body = r#"{"id":"b","name":"deploy now","arguments":{}}"#;
        town.agent("J%C3%BCrgen").post("/v1/threads/t2/tool-calls", body).await;
        builder.proposes("t1", "c").await;
        ada.decides("t1", "c", "deny").await;
        assert_eq!(calls(town, "/v1/tool-calls").await, "t1/c t2/b t1/a");
        assert_eq!(calls(town, "/v1/threads/t1/tool-calls").await, "t1/c t1/a");
        assert_eq!(calls(town, "/v1/tool-calls?thread=t2").await, "t2/b");
        assert_eq!(calls(town, "/v1/tool-calls?state=pending").await, "t2/b t1/a");
        assert_eq!(calls(town, "/v1/threads/t1/tool-calls?state=denied").await, "t1/c");
        assert_eq!(calls(town, "/v1/tool-calls?tool=deploy+now").await, "t2/b");
        assert_eq!(calls(town, "/v1/tool-calls?tool=deploy%20now").await, "t2/b");
        assert_eq!(calls(town, "/v1/tool-calls?principal=agent:J%C3%BCrgen").await, "t2/b");
        assert_eq!(calls(town, "/v1/tool-calls?since=2026-01-31T12:01:00Z").await, "t1/c t2/b");
        assert_eq!(calls(town, "/v1/tool-calls?until=2026-01-31T13:01:00%2B01:00").await, "t1/a");
        assert_eq!(calls(town, "/v1/tool-calls?limit=1").await, "t1/c");
    })
    .await;
}

#[tokio::test]
async fn a_list_is_known_by_its_tag_unless_a_lease_may_lapse_in_it() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        builder.proposes("t1", "a").await;
        ada.decides("t1", "a", "allow_once").await;
        let tag = ada.get("/v1/tool-calls").await.header("etag").to_owned();
        assert_eq!(ada.get_with("/v1/tool-calls", "if-none-match", &tag).await.status, 304);
        let hash = ada.get("/v1/threads/t1/tool-calls/a").await.member("argumentsHash");
        let claim = format!(r#"{{"executor":"w","argumentsHash":{hash},"leaseSeconds":60}}"#);
        assert_eq!(builder.post("/v1/threads/t1/tool-calls/a/claim", &claim).await.status, 200);
        assert_eq!(ada.get_with("/v1/tool-calls", "if-none-match", &tag).await.status, 200, "it runs now");
        assert_eq!(ada.get("/v1/tool-calls").await.header("etag"), "", "the lease may lapse at any moment");
        assert_eq!(ada.get("/v1/tool-calls?state=unknown").await.header("etag"), "", "and bring it here");
        town.clock.advance(Duration::from_secs(61));
        assert_eq!(calls(town, "/v1/tool-calls?state=unknown").await, "t1/a");
        assert_ne!(ada.get("/v1/tool-calls").await.header("etag"), "");
    })
    .await;
}
