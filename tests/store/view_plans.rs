//! The views for people with a SQL shell join a call with its events through an index, also where all rows are counted or grouped,
//! so that the work grows with the log, and not with its square.

use countersign_tests::{Database, SqlConnection, World, on_each_database};

on_each_database! { views_count_and_group_without_meeting_all_pairs }

/// Each view, with a column to group by.
const VIEWS: [(&str, &str); 10] = [
    ("calls", "tool"),
    ("pending_calls", "tool"),
    ("grants", "given_by"),
    ("person_decisions", "person"),
    ("advice", "advisor"),
    ("unknown_outcomes", "tool"),
    ("mismatches", "tool"),
    ("effects", "kind"),
    ("call_events", "type"),
    ("decisions", "principal"),
];

/// Joins that read all events of a thread for each row, or build an index for one query.
const SLOW_ON_SQLITE: [&str; 4] = [
    "events_by_thread (thread_id=?",
    "calls_by_thread (thread_id=?",
    "settings_by_thread (thread_id=?",
    "AUTOMATIC",
];

/// Rows of 2,000 calls, each with the events that the views join.
const CALLS: i64 = 2_000;

fn statements() -> impl Iterator<Item = String> {
    VIEWS.iter().flat_map(|(view, column)| {
        [
            format!("SELECT count(*) FROM {view}"),
            format!("SELECT {column}, count(*) FROM {view} GROUP BY {column}"),
        ]
    })
}

async fn views_count_and_group_without_meeting_all_pairs(world: &mut World) {
    let mut connection = world.sql_connection().await;
    if world.database() == Database::Sqlite {
        for statement in statements() {
            let steps = connection.details(&format!("EXPLAIN QUERY PLAN {statement}")).await.expect("a plan");
            let slow = steps.iter().find(|step| SLOW_ON_SQLITE.iter().any(|part| step.contains(part)));
            assert_eq!(slow, None, "{statement}: {steps:#?}");
            assert!(
                steps.iter().filter(|step| step.starts_with("SCAN")).count() <= 3,
                "{statement}: {steps:#?}"
            );
        }
        return connection.close().await;
    }
    connection.run("BEGIN").await.expect("a transaction begins");
    fill(&mut connection).await;
    let total = "SELECT count(*)::text FROM events";
    let events: f64 = connection.query_texts(total).await.expect("counts")[0].parse().expect("a number");
    for state in ["without statistics", "with statistics"] {
        for statement in statements() {
            let explained = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) {statement}");
            let steps = connection.query_texts(&explained).await.expect("it runs");
            let rows: f64 = steps.iter().map(|step| count_rows(step)).sum();
            assert!(rows < 40.0 * events, "{statement} meets {rows} rows of {events} {state}: {steps:#?}");
        }
        connection.run("ANALYZE").await.expect("the statistics are updated");
    }
    connection.run("ROLLBACK").await.expect("the rows are gone");
    connection.close().await;
}

/// The rows that a plan step meets: those that it returns and those that it removes, in all its loops.
fn count_rows(step: &str) -> f64 {
    let number = |mark: &str| -> Option<f64> {
        let digits: String =
            step.split_once(mark)?.1.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        digits.parse().ok()
    };
    let removed = step.contains("Rows Removed by").then(|| number("Filter: ")).flatten();
    // A step that looks something up once for each row meets at least one row each time.
    let returned = number("actual rows=").map(|rows| rows.max(1.0) * number("loops=").unwrap_or(1.0));
    returned.or(removed).unwrap_or(0.0)
}

/// Writes calls as a Countersign program does, without its rules: a row with a hash is not checked. The caller takes them
/// back, because their hashes are no chain.
async fn fill(connection: &mut SqlConnection) {
    let fill = format!(
        r#"INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
        SELECT row_number() OVER (ORDER BY n, k), 't' || n % 3, type, '2026-01-01T00:00:00.000Z', who,
            (member || jsonb_build_object(name, 'call_' || n))::text, repeat('0', 64)
        FROM generate_series(1, {CALLS}) n CROSS JOIN (VALUES
            (1, 'TOOL_CALL', 'agent:bot', 'id', '{{"name": "bash", "arguments": {{}}, "effects": [{{"kind": "file"}}]}}'::jsonb),
            (2, 'TOOL_APPROVAL_REQUEST', 'system:gate', 'toolCallId', '{{"options": ["deny"]}}'),
            (3, 'TOOL_APPROVAL_VOTE', 'user:ada', 'toolCallId', '{{"decision": "allow_once"}}'),
            (4, 'TOOL_APPROVAL_ADVICE', 'advisor:a', 'toolCallId', '{{"advisor": "a", "mode": "advise"}}'),
            (5, 'TOOL_APPROVAL_RESPONSE', 'user:ada', 'toolCallId', '{{"decision": "allow_session", "source": "approver"}}'),
            (6, 'TOOL_EXECUTION_STARTED', 'agent:bot', 'toolCallId', '{{"leaseExpiresAt": "2026-01-01T00:00:01.000Z"}}'),
            (7, 'TOOL_EXECUTION_MISMATCH', 'agent:bot', 'toolCallId', '{{"arguments": {{}}}}'),
            (8, 'TOOL_RESULT', 'agent:bot', 'toolCallId', '{{"status": "success"}}')
        ) AS part (k, type, who, name, member)
        WHERE n % 9 > 0 OR k < 5"#
    );
    connection.run(&fill).await.expect("the rows are written");
}
