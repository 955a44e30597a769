//! `GET /v1/tool-calls` and `GET /v1/threads/{thread}/tool-calls`

use crate::ASK;
use countersign_tests::{HttpWorld, over_http};
use insta::assert_snapshot;
use std::time::Duration;

#[tokio::test]
async fn contradictory_filter_is_refused_by_its_name() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.get("/v1/tool-calls?state=waiting").await, @r#"
        422 invalid: state: unknown value "waiting"; use one of pending, allowed, denied, running, finished, unknown, cancelled, expired, unanswered, blocked, lapsed, succeeded, failed
        parameter: "state"
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?since=yesterday").await, @r#"
        422 invalid: since: "yesterday" is not an RFC 3339 time such as 2026-01-31T12:00:00.000Z
        parameter: "since"
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?principal=ada").await, @r#"
        422 invalid: principal: "ada" does not begin with user:, agent:, policy:, advisor: or system:
        parameter: "principal"
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?tool=").await, @r#"
        422 invalid: tool: it is empty
        parameter: "tool"
        "#);
    })
    .await;
}

#[tokio::test]
async fn duplicate_or_unknown_parameter_is_refused() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.get("/v1/tool-calls?tool=%FF").await, @r#"
        422 invalid: tool is not UTF-8
        parameter: "tool"
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?state=denied&state=allowed").await, @r#"
        422 invalid: state is given twice
        parameter: "state"
        "#);
        assert_snapshot!(ada.get("/v1/threads/t/tool-calls?thread=t2").await, @r#"
        422 invalid: unknown parameter "thread"; the parameters are after, limit, tool, principal, agent, project, state, since, until, argumentsHash and touches
        parameter: "thread"
        "#);
        assert_snapshot!(ada.get("/v1/tool-calls?after=-1").await, @r#"
        422 invalid: "-1" is not a cursor; use the `next` of the page before, the seq of an event, or the `id` of a message
        parameter: "after"
        "#);
    })
    .await;
}

/// Reads a list of calls. Returns the ids of its calls, and its `next`.
async fn calls(world: &HttpWorld, path: &str) -> String {
    let page = world.person("ada").get(path).await;
    assert_eq!(page.status, 200, "{page}");
    let calls: Vec<serde_json::Value> = serde_json::from_str(&page.member("calls")).expect("calls");
    let name = |call: &serde_json::Value| format!("{}/{}", call["threadId"], call["id"]).replace('"', "");
    let names: Vec<_> = calls.iter().map(name).collect();
    names.join(" ")
}

#[tokio::test]
async fn calls_are_listed_newest_first_with_every_filter() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        world.clock().advance(Duration::from_mins(1));
        let body = r#"{"id":"b","name":"deploy now","arguments":{}}"#;
        world.agent("J%C3%BCrgen").post("/v1/threads/t2/tool-calls", body).await;
        builder.proposes("c").await;
        ada.denies("c").await;
        assert_eq!(calls(world, "/v1/tool-calls").await, "t/c t2/b t/a");
        assert_eq!(calls(world, "/v1/threads/t/tool-calls").await, "t/c t/a");
        assert_eq!(calls(world, "/v1/tool-calls?thread=t2").await, "t2/b");
        assert_eq!(calls(world, "/v1/tool-calls?state=pending").await, "t2/b t/a");
        assert_eq!(calls(world, "/v1/threads/t/tool-calls?state=denied").await, "t/c");
        assert_eq!(calls(world, "/v1/tool-calls?tool=deploy+now").await, "t2/b");
        assert_eq!(calls(world, "/v1/tool-calls?tool=deploy%20now").await, "t2/b");
        assert_eq!(calls(world, "/v1/tool-calls?principal=agent:J%C3%BCrgen").await, "t2/b");
        assert_eq!(calls(world, "/v1/tool-calls?since=2026-01-31T12:01:00Z").await, "t/c t2/b");
        assert_eq!(calls(world, "/v1/tool-calls?until=2026-01-31T13:01:00%2B01:00").await, "t/a");
        assert_eq!(calls(world, "/v1/tool-calls?limit=1").await, "t/c");
        let hash = ada.get("/v1/threads/t2/tool-calls/b").await.member("argumentsHash").replace('"', "");
        assert_eq!(calls(world, &format!("/v1/tool-calls?argumentsHash={hash}")).await, "t2/b");
        assert_eq!(calls(world, &format!("/v1/threads/t/tool-calls?argumentsHash={hash}")).await, "");
        assert_eq!(calls(world, &format!("/v1/threads/t2/tool-calls?argumentsHash={hash}")).await, "t2/b");
        let bad = ada.get("/v1/threads/t/tool-calls?argumentsHash=12").await;
        assert_eq!((bad.status, bad.member("parameter").as_str()), (422, "\"argumentsHash\""));
    })
    .await;
}

#[tokio::test]
async fn calls_are_filtered_by_agent_and_project() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        let places = [
            ("a", r#"{"agent":"claude-code","project":"/srv/shop"}"#),
            ("b", r#"{"agent":"claude-code/explore","project":"/srv/blog"}"#),
            ("c", r#"{"agent":"claude-codex","project":"/srv/shop"}"#),
            ("d", r#"{"folder":"/srv/shop"}"#),
        ];
        for (id, place) in places {
            let body = format!(r#"{{"id":"{id}","name":"deploy","arguments":{{}},"place":{place}}}"#);
            assert_eq!(builder.post("/v1/threads/t/tool-calls", &body).await.status, 201, "{body}");
        }
        for (query, all) in [
            ("agent=claude-code", "t/b t/a"),
            ("agent=claude-code/explore", "t/b"),
            ("project=/srv/shop", "t/c t/a"),
            ("project=%2Fsrv%2Fshop&agent=claude-code", "t/a"),
            ("project=/srv", ""),
            ("agent=", ""),
        ] {
            assert_eq!(calls(world, &format!("/v1/tool-calls?{query}")).await, all, "{query}");
            assert_eq!(calls(world, &format!("/v1/threads/t/tool-calls?{query}")).await, all, "{query}");
            let pending = world.person("ada").get(&format!("/v1/approvals/pending?{query}")).await;
            let mut ids: Vec<_> = pending.json()["pending"]
                .as_array()
                .expect("calls")
                .iter()
                .map(|call| call["id"].to_string())
                .collect();
            ids.reverse();
            let expected: Vec<_> =
                all.split_whitespace().map(|id| format!("{:?}", id.trim_start_matches("t/"))).collect();
            assert_eq!(ids, expected, "{query}");
        }
        let refused = world.person("ada").get("/v1/events?project=/srv/shop").await;
        assert_eq!(refused.status, 422, "events have no place of their own: {refused}");
    })
    .await;
}

#[tokio::test]
async fn call_list_tag_holds_unless_a_lease_expires() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        ada.allows("a").await;
        let tag = ada.get("/v1/tool-calls").await.header("etag").to_owned();
        assert_eq!(ada.get_with("/v1/tool-calls", "if-none-match", &tag).await.status, 304);
        let hash = ada.get("/v1/threads/t/tool-calls/a").await.member("argumentsHash");
        let claim = format!(r#"{{"executor":"w","argumentsHash":{hash},"leaseSeconds":60}}"#);
        assert_eq!(builder.post("/v1/threads/t/tool-calls/a/claim", &claim).await.status, 200);
        assert_eq!(
            ada.get_with("/v1/tool-calls", "if-none-match", &tag).await.status,
            200,
            "the call is running, no longer allowed"
        );
        assert_eq!(
            ada.get("/v1/tool-calls").await.header("etag"),
            "",
            "the state can change without an event when the lease expires"
        );
        assert_eq!(
            ada.get("/v1/tool-calls?state=unknown").await.header("etag"),
            "",
            "the expiry of a lease changes this list"
        );
        world.clock().advance(Duration::from_secs(61));
        assert_eq!(calls(world, "/v1/tool-calls?state=unknown").await, "t/a");
        assert_ne!(ada.get("/v1/tool-calls").await.header("etag"), "");
    })
    .await;
}
