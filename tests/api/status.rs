//! `GET /v1/status`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

#[tokio::test]
async fn unknown_parameter_of_status_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").get("/v1/status?thread=t1").await, @r#"
        422 invalid: unknown parameter "thread"; this path has none
        parameter: "thread"
        "#);
    })
    .await;
}

#[tokio::test]
async fn status_lists_agents_approvers_and_pending() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["a", "b", "c"] {
            builder.proposes(id).await;
        }
        ada.allows("a").await;
        ada.denies("b").await;
        builder.claims_as("a", "w").await;
        assert_snapshot!(ada.get("/v1/status").await, @r#"
        200
        {
          "service": {"version":"0.1.0","startedAt":"2026-01-31T12:00:00.000Z","ready":true},
          "examinedCalls": 3,
          "agents": [
            {"principal":"agent:builder","lastSeenAt":"2026-01-31T12:00:00.000Z","pending":1,"running":1}
          ],
          "executors": [
            {
              "executor": "w",
              "principal": "agent:builder",
              "threadId": "t",
              "id": "a",
              "name": "bash",
              "startedAt": "2026-01-31T12:00:00.000Z",
              "leaseExpiresAt": "2026-01-31T12:15:00.000Z"
            }
          ],
          "approvers": [{"principal":"user:ada","sessions":0,"lastDecisionAt":"2026-01-31T12:00:00.000Z"}],
          "clients": [
            {"principal":"agent:builder","lastRequestAt":"2026-01-31T12:00:00.000Z","streams":0,"waits":0},
            {"principal":"user:ada","lastRequestAt":"2026-01-31T12:00:00.000Z","streams":0,"waits":0}
          ],
          "webhooks": [],
          "pending": {
            "count": 1,
            "oldestAt": "2026-01-31T12:00:00.000Z",
            "threads": [{"threadId":"t","count":1}],
            "complete": true
          }
        }
        "#);
    })
    .await;
}
