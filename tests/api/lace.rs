//! Lace: the flows of its design, with the requests of its client and its SQL as it is printed.

use crate::ASK;
use countersign_tests::{over_http, run_sqlite3};
use std::time::Duration;

const PENDING: &str = "/api/threads/t/approvals/pending";

/// The recovery query.
const RECOVERY: &str = "
SELECT
  req.data->>'toolCallId' as tool_call_id,
  tc.data as tool_call_data,
  req.timestamp as requested_at
FROM events req
JOIN events tc ON tc.data->>'id' = req.data->>'toolCallId'
WHERE req.type = 'TOOL_APPROVAL_REQUEST'
  AND tc.type = 'TOOL_CALL'
  AND NOT EXISTS (
    SELECT 1 FROM events resp
    WHERE resp.type = 'TOOL_APPROVAL_RESPONSE'
      AND resp.data->>'toolCallId' = req.data->>'toolCallId'
  )
ORDER BY req.timestamp ASC;";

/// The check of one call.
const STATUS: &str = "
SELECT resp.data->>'decision' as decision
FROM events resp
WHERE resp.type = 'TOOL_APPROVAL_RESPONSE'
  AND resp.data->>'toolCallId' = 'call_1'
LIMIT 1;";

fn decision(word: &str) -> String {
    format!(r#"{{"decision":"{word}"}}"#)
}

#[tokio::test]
async fn lace_client_recovers_and_decides_pending_calls() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["call_1", "call_2", "call_3"] {
            builder.proposes(id).await;
            world.clock().advance(Duration::from_secs(1));
        }
        let pending = ada.get(PENDING).await.value("pendingApprovals.0");
        assert_eq!(pending["tool_call_id"], "call_1");
        let call = serde_json::json!({"id": "call_1", "name": "bash", "arguments": {"command": "ls"}});
        assert_eq!(pending["tool_call_data"], call);
        assert_eq!(pending["requested_at"], "2026-01-31T12:00:00.000Z");
        let (waited, decided) = tokio::join!(
            builder.get_with("/v1/threads/t/tool-calls/call_1", "prefer", "wait=30"),
            ada.post("/api/threads/t/approvals/call_1", decision("allow_once")),
        );
        assert_eq!(
            (decided.status, decided.json()),
            (200, serde_json::json!({"success": true, "json": {"success": true}}))
        );
        assert_eq!(waited.text("state"), "allowed");
        let again = ada.post("/api/threads/t/approvals/call_1", decision("allow_once")).await;
        assert_eq!(again.status, 200, "the same decision again is no error");
        assert_eq!(ada.post("/api/threads/t/approvals/call_2", decision("allow_session")).await.status, 200);
        builder.proposes("call_4").await;
        assert_eq!(
            builder.call("call_4").await.text("state"),
            "allowed",
            "its tool is allowed for the session"
        );
        let left = ada.get(PENDING).await;
        assert_eq!(left.text("pendingApprovals.0.tool_call_id"), "call_3");
        assert_eq!(left.value("pendingApprovals").as_array().map(Vec::len), Some(1));
    })
    .await;
}

#[tokio::test]
async fn refused_lace_decision_has_a_code() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let path = "/api/threads/t/approvals/call_1";
        assert_eq!(ada.post(path, decision("always")).await.status, 422);
        assert_eq!(ada.post(path, r#"{"decision":"deny","toolCallId":"call_2"}"#).await.status, 422);
        assert_eq!(builder.post(path, decision("allow_once")).await.text("code"), "not_permitted");
        assert_eq!(
            ada.post("/api/threads/t/approvals/none", decision("deny")).await.text("code"),
            "unknown_call"
        );
        assert_eq!(ada.post(path, decision("deny")).await.status, 200);
        let other = world.person("grace").post(path, decision("allow_once")).await;
        assert_eq!((other.status, other.text("code").as_str()), (409, "already_decided"));
    })
    .await;
}

#[tokio::test]
async fn sql_of_lace_runs_on_the_file() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        builder.proposes("call_2").await;
        ada.post("/api/threads/t/approvals/call_1", decision("deny")).await;
        let path = world.path();
        let rows = run_sqlite3(&path, RECOVERY).await.expect("the query runs");
        assert!(rows.starts_with("call_2|{\"id\":\"call_2\"") && !rows.contains("call_1"), "{rows}");
        assert_eq!(run_sqlite3(&path, STATUS).await.as_deref(), Ok("deny"));
    })
    .await;
}
