//! The version of SQLite that this program is built with.

use sqlx::{Connection, SqliteConnection};

/// The version of SQLite; `None` if a database in memory cannot be opened.
pub async fn sqlite_version() -> Option<String> {
    let mut conn = SqliteConnection::connect("sqlite::memory:").await.ok()?;
    sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut conn).await.ok()
}
