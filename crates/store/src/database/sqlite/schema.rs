//! The file's schema.

use super::error;
use crate::{DatabaseKind, SchemaLayout, StoreError, database::ReadConnection, schema};
use sqlx::{Connection as _, SqliteConnection};
use std::path::Path;

/// `CSGN`, in the file's header.
const APPLICATION_ID: i64 = 0x4353_474e;

/// Fails if the file belongs to another program. An empty file is accepted. Returns true if the file has tables.
pub(super) async fn check_owner(conn: &mut SqliteConnection, path: &Path) -> Result<bool, StoreError> {
    let failed = |e| error(path.into(), &e);
    // Read the tables first. One transaction writes the tables and the owner, so a reader that sees the tables then
    // sees the owner. In the other order, a process that writes both between the reads would make the file look
    // foreign.
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut *conn)
        .await
        .map_err(failed)?;
    let owner: i64 =
        sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *conn).await.map_err(failed)?;
    if owner == APPLICATION_ID || (owner == 0 && tables == 0) {
        return Ok(tables > 0);
    }
    let why = "it is another program's SQLite database".to_owned();
    Err(StoreError::NotCountersign { place: path.into(), why })
}

/// The file's layout. A new file has no list of migrations yet.
pub(super) async fn find_layout(conn: &mut SqliteConnection) -> SchemaLayout {
    schema::read_layout(&mut ReadConnection::Sqlite(conn)).await.unwrap_or(SchemaLayout::None)
}

/// Migrates the schema in one transaction: any number of processes may start at once, and a failure changes nothing.
/// Returns the layout that was found.
pub(super) async fn update_schema(
    conn: &mut SqliteConnection,
    path: &Path,
) -> Result<SchemaLayout, StoreError> {
    let found = find_layout(conn).await;
    match found {
        SchemaLayout::Ours => return Ok(found),
        SchemaLayout::Newer { found } => return Err(schema::newer_error(path.into(), found)),
        SchemaLayout::Unreleased => return Err(StoreError::UnreleasedDatabase { place: path.into() }),
        SchemaLayout::None | SchemaLayout::Older => {}
    }
    let failed = |e| error(path.into(), &e);
    let mut tx = conn.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    // The previous holder of the lock may have migrated, even to a newer layout.
    match schema::read_layout(&mut ReadConnection::Sqlite(&mut tx)).await.unwrap_or(SchemaLayout::None) {
        SchemaLayout::Ours => return tx.commit().await.map(|()| found).map_err(failed),
        SchemaLayout::Newer { found } => return Err(schema::newer_error(path.into(), found)),
        SchemaLayout::Unreleased => return Err(StoreError::UnreleasedDatabase { place: path.into() }),
        SchemaLayout::None | SchemaLayout::Older => {}
    }
    match schema::migrator(DatabaseKind::Sqlite).run_direct(None, &mut *tx, false).await {
        Ok(()) => tx.commit().await.map(|()| found).map_err(failed),
        Err(e) => Err(schema::migration_error(path.into(), e, failed)),
    }
}
