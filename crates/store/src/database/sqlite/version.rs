//! Which SQLite this program is built with.

use sqlx::{Connection, SqliteConnection};

/// Its version; nothing if it does not even open a database in memory.
pub async fn sqlite_version() -> Option<String> {
    let mut conn = SqliteConnection::connect("sqlite::memory:").await.ok()?;
    sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut conn).await.ok()
}
