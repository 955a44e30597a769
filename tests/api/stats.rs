//! `GET /v1/stats`

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;
use std::time::Duration;

#[tokio::test]
async fn a_span_that_cannot_be_is_refused() {
    story(ASK, async |town| {
        assert_snapshot!(town.person("ada").get("/v1/stats?since=monday").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "since: \"monday\" is not an RFC 3339 time such as 2026-01-31T12:00:00.000Z",
          "parameter": "since"
        }
        "#);
        assert_snapshot!(town.person("ada").get("/v1/stats?tool=bash").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "unknown parameter \"tool\"; the parameters are since and until",
          "parameter": "tool"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn the_numbers_say_what_became_of_calls() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        for id in ["a", "b", "c"] {
            builder.proposes("t1", id).await;
        }
        town.clock.advance(Duration::from_secs(2));
        ada.decides("t1", "a", "allow_once").await;
        town.clock.advance(Duration::from_secs(3));
        ada.decides("t1", "b", "deny").await;
        builder.claims("t1", "a", "w").await;
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
