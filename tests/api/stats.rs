//! `GET /v1/stats`

use crate::ASK;
use countersign_api::CallStatistics;
use countersign_tests::{Proposal, over_http};
use insta::assert_snapshot;
use std::time::Duration;

#[tokio::test]
async fn invalid_period_of_statistics_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").get("/v1/stats?since=monday").await, @r#"
        422 invalid: since: "monday" is not an RFC 3339 time such as 2026-01-31T12:00:00.000Z
        parameter: "since"
        "#);
        assert_snapshot!(world.person("ada").get("/v1/stats?tool=bash").await, @r#"
        422 invalid: unknown parameter "tool"; the parameters are after, since, touched, until and utcOffsetMinutes
        parameter: "tool"
        "#);
    })
    .await;
}

#[tokio::test]
async fn statistics_count_the_outcomes_of_calls() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["a", "b", "c"] {
            builder.proposes(id).await;
        }
        world.clock().advance(Duration::from_secs(2));
        ada.allows("a").await;
        world.clock().advance(Duration::from_secs(3));
        ada.denies("b").await;
        builder.claims_as("a", "w").await;
        assert_snapshot!(ada.get("/v1/stats").await, @r#"
        200
        {
          "total": {
            "calls": 3,
            "asked": 3,
            "answeredByAdvisors": 0,
            "askedAllowed": 1,
            "allowed": 1,
            "denied": 1,
            "expired": 0,
            "cancelled": 0,
            "abandoned": 0,
            "waiting": 1,
            "askedDenied": 1,
            "notDecided": 1,
            "ran": 1,
            "failed": 0,
            "timeToDecide": {"medianMs":2000,"p90Ms":4992,"p99Ms":4992,"maxMs":5000},
            "decisionTimes": {"2000":1,"4992":1}
          },
          "bySource": {"approver":2},
          "tools": [
            {
              "tool": "bash",
              "calls": 3,
              "asked": 3,
              "answeredByAdvisors": 0,
              "askedAllowed": 1,
              "allowed": 1,
              "denied": 1,
              "expired": 0,
              "cancelled": 0,
              "abandoned": 0,
              "waiting": 1,
              "askedDenied": 1,
              "notDecided": 1,
              "ran": 1,
              "failed": 0,
              "timeToDecide": {"medianMs":2000,"p90Ms":4992,"p99Ms":4992,"maxMs":5000},
              "decisionTimes": {"2000":1,"4992":1}
            }
          ],
          "rules": [{"basis":"default","verdict":"ask","calls":3}],
          "next": null
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn statistics_say_what_calls_touch_most() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        for (id, command) in [("a", "cat .env"), ("b", "cat .env notes.txt"), ("c", "make")] {
            let body = serde_json::json!({"id": id, "name": "bash", "arguments": {"command": command},
                "place": {"folder": "/src"}});
            builder.post("/v1/threads/t/tool-calls", &body.to_string()).await;
        }
        let ada = world.person("ada");
        assert_snapshot!(ada.get("/v1/stats?touched=true").await.member("touched"), @r#"[{"access":"read","calls":2,"kind":"file","target":"/src/.env"},{"access":"read","calls":1,"kind":"file","target":"/src/notes.txt"}]"#);
        assert!(!ada.get("/v1/stats").await.body.contains("touched"));
        assert_eq!(ada.get("/v1/stats?touched=maybe").await.status, 422);
    })
    .await;
}

#[tokio::test]
async fn statistics_of_an_empty_period_are_zero() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        world.agent("builder").proposes("a").await;
        assert_snapshot!(ada.get("/v1/stats?since=2026-02-01T00:00:00Z").await, @r#"
        200
        {
          "since": "2026-02-01T00:00:00.000Z",
          "total": {
            "calls": 0,
            "asked": 0,
            "answeredByAdvisors": 0,
            "askedAllowed": 0,
            "allowed": 0,
            "denied": 0,
            "expired": 0,
            "cancelled": 0,
            "abandoned": 0,
            "waiting": 0,
            "askedDenied": 0,
            "notDecided": 0,
            "ran": 0,
            "failed": 0
          },
          "bySource": {},
          "tools": [],
          "next": null
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn statistics_count_each_day_and_each_rule() {
    let policy = "[[rule]]\nname = \"no mail\"\ntool = \"mail\"\nverdict = \"block\"\n";
    over_http(policy, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        world.clock().advance(Duration::from_hours(11));
        ada.allows("a").await;
        builder.proposes("b").await;
        builder.proposes_to("c", Proposal { tool: "mail", ..Proposal::default() }).await;
        world.clock().advance(Duration::from_hours(2));
        builder.proposes("d").await;
        assert_snapshot!(ada.get("/v1/stats?utcOffsetMinutes=841").await, @r#"
        422 invalid: utcOffsetMinutes: must be the minutes east of UTC, from -840 to 840, not "841"
        parameter: "utcOffsetMinutes"
        "#);
        let days = async |offset: &str| {
            let stats = ada.get(&format!("/v1/stats?utcOffsetMinutes={offset}")).await.json();
            let day =
                |day: &serde_json::Value| format!("{} {} {}", day["date"], day["asked"], day["allowed"]);
            stats["days"].as_array().expect("days").iter().map(day).collect::<Vec<_>>().join("\n")
        };
        assert_snapshot!(days("0").await, @r#"
        "2026-01-31" 2 1
        "2026-02-01" 1 0
        "#);
        assert_snapshot!(days("120").await, @r#"
        "2026-01-31" 1 1
        "2026-02-01" 2 0
        "#);
        assert_snapshot!(ada.get("/v1/stats").await.json()["rules"], @r#"[{"basis":"default","calls":3,"verdict":"ask"},{"basis":"rule","calls":1,"rule":"no mail","verdict":"block"}]"#);
        assert!(ada.get("/v1/stats").await.json().get("days").is_none());
    })
    .await;
}

/// A page counts the calls before its `after`, and the counts and times of pages add up.
#[tokio::test]
async fn pages_of_statistics_add_up() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in 0..6 {
            builder.proposes(&format!("call_{id}")).await;
            world.clock().advance(Duration::from_mins(id + 1));
            ada.allows(&format!("call_{id}")).await;
        }
        let whole = ada.get("/v1/stats?utcOffsetMinutes=0").await.json();
        let read = |value: serde_json::Value| -> CallStatistics {
            serde_json::from_value(value).expect("statistics")
        };
        let fourth = ada.get("/v1/threads/t/tool-calls/call_3").await.json()["proposal"]["seq"].clone();
        let earlier = read(ada.get(&format!("/v1/stats?after={fourth}")).await.json());
        assert_eq!((earlier.total.calls, earlier.next), (3, None));
        let mut twice = read(whole.clone());
        twice.add(read(whole));
        assert_eq!((twice.total.calls, twice.total.asked_allowed, twice.by_source["approver"]), (12, 12, 12));
        assert_eq!(
            twice.total.time_to_decide.map(|times| (times.median_ms, times.max_ms)),
            Some((179_200, 360_000))
        );
        assert_eq!((twice.tools.len(), twice.tools[0].counts.calls, twice.rules[0].calls), (1, 12, 12));
        assert_eq!(twice.days.map(|days| (days.len(), days[0].counts.calls)), Some((1, 12)));
    })
    .await;
}
