//! Writes a long history quickly: one statement inserts the finished calls without the triggers, which would take an
//! hour.

use crate::{bare::BareLoop, lab::LabOutcome};
use sqlx::{Row, SqliteConnection};

/// The number of calls in each thread of the history.
const CALLS_PER_THREAD: i64 = 100;

/// Inserts the events of `$1` calls, four per call, in their usual order. The hashes are not valid. The next writer
/// continues the chain from the last one.
const HISTORY: &str = "
WITH RECURSIVE calls (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM calls WHERE n + 1 < $1),
steps (step, type, principal, data) AS (VALUES
    (1, 'TOOL_CALL', 'agent:bot', json_object('id', '', 'name', 'bash',
        'arguments', json('{\"command\":\"git status --short\",\"cwd\":\"/home/ada/project\"}'),
        'argumentsHash', printf('%064d', 0))),
    (2, 'TOOL_APPROVAL_RESPONSE', 'user:ada', json_object('toolCallId', '', 'decision', 'allow_once',
        'source', 'approver', 'argumentsHash', printf('%064d', 0), 'policy', printf('%064d', 0))),
    (3, 'TOOL_EXECUTION_STARTED', 'agent:bot', json_object('toolCallId', '', 'executor', 'worker',
        'argumentsHash', printf('%064d', 0))),
    (4, 'TOOL_RESULT', 'agent:bot', json_object('toolCallId', '', 'status', 'success', 'content', 'ok')))
INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
SELECT n * 4 + step, 'old-' || (n / $2), type, '2026-01-01T00:00:00.000Z', principal,
    json_set(data, CASE step WHEN 1 THEN '$.id' ELSE '$.toolCallId' END, 'call_' || n), printf('%064x', n)
FROM calls CROSS JOIN steps";

/// [`HISTORY`] for PostgreSQL.
const HISTORY_ON_POSTGRES: &str = "
INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
SELECT n * 4 + step, 'old-' || (n / $2), type, '2026-01-01T00:00:00.000Z', principal,
    replace(data, '?', 'call_' || n), lpad(to_hex(n), 64, '0')
FROM generate_series(0, $1 - 1) AS n CROSS JOIN (VALUES
    (1, 'TOOL_CALL', 'agent:bot', '{\"id\":\"?\",\"name\":\"bash\",\"arguments\":{\"command\":\"git status --short\",\"cwd\":\"/home/ada/project\"},\"argumentsHash\":\"' || repeat('0', 64) || '\"}'),
    (2, 'TOOL_APPROVAL_RESPONSE', 'user:ada', '{\"toolCallId\":\"?\",\"decision\":\"allow_once\",\"source\":\"approver\",\"argumentsHash\":\"' || repeat('0', 64) || '\",\"policy\":\"' || repeat('0', 64) || '\"}'),
    (3, 'TOOL_EXECUTION_STARTED', 'agent:bot', '{\"toolCallId\":\"?\",\"executor\":\"worker\",\"argumentsHash\":\"' || repeat('0', 64) || '\"}'),
    (4, 'TOOL_RESULT', 'agent:bot', '{\"toolCallId\":\"?\",\"status\":\"success\",\"content\":\"ok\"}')
) AS steps (step, type, principal, data)
ORDER BY n, step";

/// Creates a log with this number of finished calls.
pub(crate) async fn write_finished_calls(address: &str, calls: i64) -> LabOutcome<()> {
    let mut bare = BareLoop::open(address).await?;
    match &mut bare {
        BareLoop::Sqlite(conn) => {
            sqlx::raw_sql("PRAGMA synchronous = off; PRAGMA cache_size = -200000")
                .execute(&mut *conn)
                .await?;
            let guards = drop_triggers(conn).await?;
            sqlx::query(HISTORY).bind(calls).bind(CALLS_PER_THREAD).execute(&mut *conn).await?;
            for guard in guards {
                sqlx::raw_sql(sqlx::AssertSqlSafe(guard)).execute(&mut *conn).await?;
            }
            sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(conn).await?;
        }
        BareLoop::Postgres(conn) => {
            sqlx::raw_sql("ALTER TABLE events DISABLE TRIGGER USER").execute(&mut *conn).await?;
            sqlx::query(HISTORY_ON_POSTGRES).bind(calls).bind(CALLS_PER_THREAD).execute(&mut *conn).await?;
            let guards = "ALTER TABLE events ENABLE TRIGGER USER; VACUUM ANALYZE events; CHECKPOINT";
            for statement in guards.split("; ") {
                sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut *conn).await?;
            }
        }
    }
    Ok(())
}

/// Drops the triggers on new rows. Returns the statements that create them again.
async fn drop_triggers(conn: &mut SqliteConnection) -> LabOutcome<Vec<String>> {
    let names = ["rows_keep_the_structure", "rows_update_open_requests"];
    let mut texts = Vec::new();
    for name in names {
        let found = sqlx::query("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = $1")
            .bind(name)
            .fetch_one(&mut *conn)
            .await?;
        texts.push(found.get(0));
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("DROP TRIGGER {name}"))).execute(&mut *conn).await?;
    }
    Ok(texts)
}
