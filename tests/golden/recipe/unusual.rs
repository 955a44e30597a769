//! The scenes with rows that no program of this version writes: decisions by SQL, and events of a later version.

use super::GoldenStage;
use countersign_api::CallState;
use countersign_events::EventType;
use countersign_tests::{SqlConnection, append_sealed, open_file};

/// People decide in the SQL shell, and rows of the program follow, which seal these.
pub(super) async fn play_decisions_by_sql(stage: &GoldenStage) {
    for (id, decision) in [("allowed", "allow_once"), ("denied", "deny")] {
        let call = stage.call("shell", id);
        call.asks(&format!("make {id}")).await;
        let comment = "it's fine";
        let sql = format!(
            "INSERT INTO decisions VALUES ('shell', '{id}', '{decision}', 'user:ada', '{}');",
            comment.replace('\'', "''")
        );
        stage.runs_sql(&sql).await;
        let decided = call.is_decided().await;
        if decided.state == CallState::Allowed {
            call.runs().await;
        }
    }
}

/// A later version writes what this one does not know: types about a call, a thread and the whole log, some of them harmless,
/// and a decision with words of its own.
pub(super) async fn play_later_version(stage: &GoldenStage) {
    let store = stage.open_store().await;
    let mut connection = SqlConnection::Sqlite(open_file(&stage.file("log.db")).await);
    for (thread, kind, data) in [
        ("open", "TOOL_SEEN", r#"{"toolCallId":"pending","harmless":true,"screen":"inbox"}"#),
        ("open", "TOOL_APPROVAL_DELEGATED", r#"{"toolCallId":"half-voted","to":"user:grace"}"#),
        (
            "open",
            "TOOL_APPROVAL_RESPONSE",
            r#"{"toolCallId":"half-voted","decision":"allow_until_noon","source":"council","argumentsHash":"{HASH}","mood":"good"}"#,
        ),
        ("later", "THREAD_TITLED", r#"{"title":"Payments","harmless":true}"#),
        ("later", "THREAD_FROZEN", r"{}"),
        ("", "REGION_ADDED", r#"{"name":"north","zones":[1.50,2]}"#),
    ] {
        stage.passes(1);
        let kind = EventType::of_event(kind).expect("a name");
        let written = append_sealed(&store, &mut connection, thread, (kind, "user:grace", data)).await;
        written.expect("the table takes types of later versions");
    }
    connection.close().await;
    store.close().await;
}

/// The last rows of the log have no hash, and no row follows that seals them.
pub(super) async fn leave_rows_unsealed(stage: &GoldenStage) {
    let decision = "INSERT INTO decisions VALUES ('shell', 'left', 'deny', 'user:ada', 'not today');";
    stage.runs_sql(decision).await;
}
