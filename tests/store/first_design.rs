//! The two queries of the first design of this system. They run unchanged on both databases, and find their rows by the
//! indexes.

use crate::plans::{connected_as_the_store, full_scans, plan};
use countersign_tests::{Database, LS, SqlConnection, World, on_each_database};
use std::fmt::Write as _;

on_each_database! { printed_queries_find_their_rows_by_index }

const PENDING: &str = include_str!("../fixtures/first_design/pending.sql");
const STATUS: &str = include_str!("../fixtures/first_design/status.sql");

const CALLS: usize = 2_080;
const PENDING_CALLS: usize = 100;

/// Returns the statement for a log of 10,000 events in 20 threads, with 100 pending calls.
fn long_log() -> String {
    let mut rows = Vec::new();
    for n in 0..CALLS {
        let is_pending = n % (CALLS / PENDING_CALLS) == 0;
        let id = format!(r#""toolCallId":"call_{n}""#);
        let mut row = |kind: &str, principal: &str, data: String| {
            rows.push((n, kind.to_owned(), principal.to_owned(), data));
        };
        row(
            "TOOL_CALL",
            "agent:bot",
            format!(
                r#"{{"id":"call_{n}","name":"bash","arguments":{{"command":"ls"}},"argumentsHash":"{LS}"}}"#
            ),
        );
        row(
            "TOOL_APPROVAL_REQUEST",
            "agent:bot",
            format!(r#"{{{id},"reason":"x","options":["allow_once","deny"],"policy":"{LS}"}}"#),
        );
        if is_pending && n / (CALLS / PENDING_CALLS) < PENDING_CALLS {
            continue;
        }
        row(
            "TOOL_APPROVAL_RESPONSE",
            "user:ada",
            format!(r#"{{{id},"decision":"allow_once","source":"approver","argumentsHash":"{LS}"}}"#),
        );
        row(
            "TOOL_EXECUTION_STARTED",
            "agent:bot",
            format!(r#"{{{id},"executor":"w","argumentsHash":"{LS}"}}"#),
        );
        row("TOOL_RESULT", "agent:bot", format!(r#"{{{id},"status":"success","content":"ok"}}"#));
    }
    let mut sql = "INSERT INTO events (thread_id, type, timestamp, principal, data, hash) VALUES ".to_owned();
    for (index, (n, kind, principal, data)) in rows.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let (thread, minute, second) = (n % 20, index / 60 % 60, index % 60);
        let hour = index / 3600;
        let time = format!("2026-01-31T{hour:02}:{minute:02}:{second:02}.000Z");
        write!(sql, "{comma}('t{thread}', '{kind}', '{time}', '{principal}', '{data}', '{LS}')")
            .expect("a string");
    }
    sql
}

async fn printed_queries_find_their_rows_by_index(world: &mut World) {
    world.expects_inadmissible_rows();
    let mut connection = match world.database() {
        Database::Sqlite => world.sql_connection().await,
        Database::Postgres => connected_as_the_store(world).await,
    };
    // The rows have no valid hashes, so they are rolled back: the world verifies its log at the test's end.
    connection.run("BEGIN").await.expect("begins");
    connection.run(&long_log()).await.expect("the rows have a valid structure");
    let count = connection.query_texts("SELECT CAST(count(*) AS text) FROM events").await.expect("reads");
    assert!(count[0].parse::<usize>().is_ok_and(|count| count > 10_000), "{count:?}");
    let expected: Vec<_> =
        (0..PENDING_CALLS).map(|n| format!("call_{}", n * (CALLS / PENDING_CALLS))).collect();
    assert_eq!(
        connection
            .query_texts(PENDING.trim_end().trim_end_matches(';'))
            .await
            .expect("the unchanged query runs"),
        expected
    );
    for (id, decision) in [("call_1", vec!["allow_once".to_owned()]), ("call_0", Vec::new())] {
        let status = STATUS.trim_end().trim_end_matches(';').replace('?', &format!("'{id}'"));
        assert_eq!(connection.query_texts(&status).await.expect("the unchanged query runs"), decision);
    }
    let by_index = ["calls_by_id", "requests_by_call", "events_by_call"];
    for (text, indexes) in [(PENDING, &by_index[..]), (STATUS, &by_index[2..])] {
        let steps = plan_of(world.database(), &mut connection, text).await;
        for index in indexes {
            assert!(steps.iter().any(|step| step.contains(index)), "no {index} in {steps:#?}");
        }
    }
    connection.run("ROLLBACK").await.expect("rolls back");
    connection.close().await;
}

async fn plan_of(database: Database, connection: &mut SqlConnection, text: &str) -> Vec<String> {
    let text = text.trim_end().trim_end_matches(';');
    match database {
        Database::Sqlite => {
            let plan = format!("EXPLAIN QUERY PLAN {text}");
            let steps = connection.details(&plan).await.expect("the statement has a plan");
            let whole = |step: &&String| step.starts_with("SCAN") && !step.contains("USING INDEX");
            assert_eq!(steps.iter().find(whole), None, "{steps:#?}");
            steps
        }
        Database::Postgres => {
            let steps = plan(connection, &text.replace('?', "$1")).await;
            // The query reads a partial index over the requests from end to end by design.
            let whole: Vec<_> =
                full_scans(&steps).into_iter().filter(|step| !step.contains("requests_by_call")).collect();
            assert!(whole.is_empty(), "{whole:?} in {steps:#?}");
            steps
        }
    }
}
