//! The version of SQLite that this program is built with.

use futures_util::future::BoxFuture;
use sqlx::{Connection, SqliteConnection};

/// The version of SQLite; `None` if a database in memory cannot be opened.
#[must_use]
#[inline(never)]
pub fn sqlite_version() -> BoxFuture<'static, Option<String>> {
    Box::pin(query_version())
}

async fn query_version() -> Option<String> {
    let mut conn = SqliteConnection::connect("sqlite::memory:").await.ok()?;
    sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut conn).await.ok()
}
