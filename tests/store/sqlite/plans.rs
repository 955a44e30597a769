//! Query plans of SQLite: frequent queries use an index, so that their time does not grow with the log.

use crate::plans::statements;
use countersign_store::{DatabaseKind, queries};
use countersign_tests::{in_world, open_file};
use sqlx::{AssertSqlSafe, Connection, Row, SqliteConnection};

async fn plan(conn: &mut SqliteConnection, sql: &str) -> Vec<String> {
    let mut steps = Vec::new();
    for statement in statements(sql) {
        let explained = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
        let rows = sqlx::query(explained).fetch_all(&mut *conn).await.expect("the statement prepares");
        steps.extend(rows.iter().map(|row| row.get::<String, _>("detail")));
    }
    steps
}

/// The searches that find a call's events.
const BY_CALL: &str = "events_by_call (<expr>=? AND thread_id=?)";

const BY_ID: &str = "calls_by_id (<expr>=? AND thread_id=?)";

/// The search that finds all log events in their order.
const IN_LOG_ORDER: &str = "events_by_thread (thread_id=? AND rowid>?)";

/// The frequent queries: name, SQL, and the searches that the plan must contain.
const HOT: &[(&str, &str, &[&str])] = &[
    ("begin", queries::sqlite::BEGIN, &["SEARCH events"]),
    ("tip", queries::TIP, &["SEARCH events"]),
    ("call", queries::CALL, &[BY_CALL]),
    (
        "call_in_context",
        queries::CALL_IN_CONTEXT,
        &[
            "calls_by_thread (thread_id=?)",
            "SEARCH p USING PRIMARY KEY (thread_id=? AND tool_call_id=?)",
            BY_CALL,
        ],
    ),
    ("events", queries::EVENTS, &["SEARCH events USING INTEGER PRIMARY KEY (rowid>?)"]),
    (
        "events_of_thread",
        queries::EVENTS_OF_THREAD,
        &["USING INDEX events_by_thread (thread_id=? AND rowid>?)"],
    ),
    (
        "pending",
        queries::PENDING.on(DatabaseKind::Sqlite),
        &["open_requests USING INTEGER PRIMARY KEY (rowid>?)", BY_CALL],
    ),
    (
        "pending_of_thread",
        queries::PENDING_OF_THREAD.on(DatabaseKind::Sqlite),
        &["open_requests_of_thread (thread_id=? AND rowid>?)", BY_CALL],
    ),
    (
        "thread",
        queries::THREAD.on(DatabaseKind::Sqlite),
        &[
            "lasting_decisions_by_thread (thread_id=?)",
            "settings_by_thread (thread_id=? AND type=?)",
            BY_CALL,
        ],
    ),
    (
        "load",
        queries::sqlite::LOAD,
        &[
            "lasting_decisions_by_thread (thread_id=?)",
            "recent_decisions_by_thread (thread_id=? AND <expr>=? AND timestamp>?)",
            "open_requests_of_thread (thread_id=?)",
            "open_requests_of_proposer (proposer=?)",
            "settings_by_thread (thread_id=?)",
            "settings_by_thread (thread_id=? AND type=?)",
            "once_per_log (<expr>=? AND type=?)",
            "messages_by_thread (thread_id=?)",
            BY_CALL,
        ],
    ),
    ("search", queries::SEARCH, &["SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", BY_ID]),
    (
        "search_of_thread",
        queries::SEARCH_OF_THREAD,
        &["events_by_thread (thread_id=? AND rowid>? AND rowid<?)"],
    ),
    (
        "calls",
        queries::CALLS.on(DatabaseKind::Sqlite),
        &["SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", BY_CALL],
    ),
    (
        "calls_of_thread",
        queries::CALLS_OF_THREAD.on(DatabaseKind::Sqlite),
        &["calls_by_thread (thread_id=? AND seq>? AND seq<?)", BY_CALL],
    ),
    (
        "threads",
        queries::THREADS,
        &["SEARCH e USING INTEGER PRIMARY KEY", "events_by_thread (thread_id=? AND rowid>?)"],
    ),
    (
        "span_of_thread",
        queries::SPAN_OF_THREAD,
        &["COVERING INDEX events_by_thread (thread_id=? AND rowid>?)"],
    ),
    (
        "span_of_thread_back",
        queries::SPAN_OF_THREAD_BACK,
        &["COVERING INDEX events_by_thread (thread_id=? AND rowid<?)"],
    ),
    ("last_calls", queries::LAST_CALLS.on(DatabaseKind::Sqlite), &["calls_by_thread (thread_id=?)"]),
    ("thread_tip", queries::THREAD_TIP, &["events_by_thread (thread_id=?)"]),
    ("tool_of_call", queries::TOOL_OF_CALL, &[BY_ID]),
    (
        "tally",
        queries::TALLY.on(DatabaseKind::Sqlite),
        &["SEARCH c USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
    ),
    (
        "running",
        queries::RUNNING.on(DatabaseKind::Sqlite),
        &["SEARCH s USING INTEGER PRIMARY KEY (rowid>?)", BY_CALL],
    ),
    ("policy_in_force", queries::POLICY_IN_FORCE, &["settings_by_thread (thread_id=? AND type=?)"]),
    ("tokens", queries::TOKENS, &[IN_LOG_ORDER]),
    ("webhooks", queries::WEBHOOKS, &[IN_LOG_ORDER]),
    ("definitions", queries::DEFINITIONS, &[IN_LOG_ORDER]),
    ("advisors", queries::ADVISORS, &[IN_LOG_ORDER]),
    (
        "conversation_of_thread",
        queries::CONVERSATION_OF_THREAD,
        &["COVERING INDEX messages_by_thread (thread_id=?)"],
    ),
    (
        "answered_by_advisor",
        queries::ANSWERED_BY_ADVISOR.on(DatabaseKind::Sqlite),
        &["advice_by_advisor (<expr>=? AND seq>? AND seq<?)", BY_CALL],
    ),
    ("lacks_events", queries::sqlite::LACKS_EVENTS, &["once_per_thread (thread_id=? AND type=?)"]),
    ("due", queries::DUE, &["open_requests_by_due (due_at<?)"]),
    ("next_due", queries::NEXT_DUE, &["open_requests_by_due"]),
    ("history_of_thread", queries::HISTORY_OF_THREAD, &["calls_by_thread (thread_id=? AND seq>? AND seq<?)"]),
];

#[test]
fn frequent_queries_use_an_index() {
    in_world(async |world| {
        let mut conn = open_file(&world.path()).await;
        for (name, sql, expected) in HOT {
            let steps = plan(&mut conn, sql).await;
            for part in *expected {
                assert!(
                    steps.iter().any(|step| step.contains(part)),
                    "{name} does not use {part}: {steps:#?}"
                );
            }
            let scans = steps.iter().filter(|step| scans_the_log(step)).collect::<Vec<_>>();
            assert!(scans.is_empty(), "{name} reads the whole log: {scans:?} in {steps:#?}");
        }
        conn.close().await.expect("closes");
    });
}

/// SQLite plans a statement for the value of a parameter that is a limit, a pattern, or the other side of a comparison with the
/// constant of a partial index, and prepares the statement again each time the value is bound. An expression hides the value.
#[test]
fn bound_values_are_hidden_from_the_planner() {
    for query in queries::ALL.iter().filter(|query| query.on_sqlite) {
        for limit in query.text.split("LIMIT $").skip(1) {
            let rest = limit.trim_start_matches(|character: char| character.is_ascii_digit());
            assert!(rest.starts_with(" + 0"), "sql/{} has a plain parameter as its LIMIT", query.file);
        }
        for plain in ["thread_id = $", "LIKE $"] {
            assert!(!query.text.contains(plain), "sql/{} has a plain parameter after {plain}", query.file);
        }
    }
}

/// Returns true for a step that scans `events`, under any of its aliases. The scan for the newest row with a hash is
/// allowed: it starts at the end and passes only rows that were inserted by SQL.
fn scans_the_log(step: &str) -> bool {
    ["SCAN events", "SCAN e", "SCAN q", "SCAN r"]
        .iter()
        .any(|scan| step.strip_prefix(scan).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

/// The pure query scans all requests by design, and finds their responses by the index.
#[test]
fn pure_query_finds_responses_by_an_index() {
    in_world(async |world| {
        let mut conn = open_file(&world.path()).await;
        let steps = plan(&mut conn, queries::OPEN_REQUESTS_PURE).await;
        let inner = "SEARCH r USING COVERING INDEX events_by_call (<expr>=? AND thread_id=? AND type=?)";
        assert!(steps.iter().any(|step| step.contains(inner)), "{steps:#?}");
        conn.close().await.expect("closes");
    });
}
