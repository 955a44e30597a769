//! The server process that holds the log's write lock.

use super::session::execute_text;
use crate::{LockHolder, clock::with_timeout, database::SqlRow, queries};
use sqlx::{AssertSqlSafe, PgConnection};
use std::time::Duration;

/// The longest wait for the answer.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Finds the server process that holds the write lock now. A transaction of this connection is rolled back.
pub(super) async fn find_lock_holder(conn: &mut PgConnection) -> Option<LockHolder> {
    let found = with_timeout(LONGEST_WAIT, async {
        execute_text(conn, "ROLLBACK".to_owned()).await?;
        sqlx::raw_sql(AssertSqlSafe(queries::postgres::LOCK_HOLDER)).fetch_optional(conn).await
    });
    let row = SqlRow::Postgres(found.await.ok()??);
    let pid = u32::try_from(row.number(0)?).ok()?;
    Some(LockHolder {
        pid,
        program: row.text(1).filter(|name| !name.is_empty()),
        host: row.text(2),
        held: row.number(3).and_then(|seconds| u64::try_from(seconds).ok()).map(Duration::from_secs),
        remedy: format!("end its transaction (`SELECT pg_terminate_backend({pid})`)"),
    })
}
