//! `GET /v1/stats`

use crate::ASK;
use countersign_tests::over_http;
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
        422 invalid: unknown parameter "tool"; the parameters are since and until
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
            "allowed": 1,
            "denied": 1,
            "expired": 0,
            "cancelled": 0,
            "abandoned": 0,
            "waiting": 1,
            "ran": 1,
            "failed": 0,
            "timeToDecide": {"medianMs":2000,"p90Ms":5000,"p99Ms":5000,"maxMs":5000}
          },
          "bySource": {"approver":2},
          "tools": [
            {
              "tool": "bash",
              "calls": 3,
              "asked": 3,
              "allowed": 1,
              "denied": 1,
              "expired": 0,
              "cancelled": 0,
              "abandoned": 0,
              "waiting": 1,
              "ran": 1,
              "failed": 0,
              "timeToDecide": {"medianMs":2000,"p90Ms":5000,"p99Ms":5000,"maxMs":5000}
            }
          ]
        }
        "#);
        assert_snapshot!(ada.get("/v1/stats?since=2026-02-01T00:00:00Z").await, @r#"
        200
        {
          "since": "2026-02-01T00:00:00.000Z",
          "total": {
            "calls": 0,
            "asked": 0,
            "allowed": 0,
            "denied": 0,
            "expired": 0,
            "cancelled": 0,
            "abandoned": 0,
            "waiting": 0,
            "ran": 0,
            "failed": 0
          },
          "bySource": {},
          "tools": []
        }
        "#);
    })
    .await;
}
