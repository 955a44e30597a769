//! The layout of the file.

use super::error;
use crate::{
    DatabaseKind, StoreError,
    database::ReadConnection,
    schema::{self, SchemaLayout},
};
use sqlx::{Connection as _, SqliteConnection};
use std::path::Path;

/// `CSGN`, in the file's header.
const APPLICATION_ID: i64 = 0x4353_474e;

/// Whose file it is. A new one is nobody's yet.
pub(super) async fn check_owner(conn: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    let failed = |e| error(path.into(), &e);
    // The tables first: both come in one transaction, so whoever sees them sees the owner a moment later.
    // The other way round another process could bring both in between, and its file would seem a stranger's.
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut *conn)
        .await
        .map_err(failed)?;
    let owner: i64 =
        sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *conn).await.map_err(failed)?;
    if owner == APPLICATION_ID || (owner == 0 && tables == 0) {
        return Ok(());
    }
    let why = "it is another program's SQLite database".to_owned();
    Err(StoreError::NotCountersign { place: path.into(), why })
}

/// Brings the layout up to date, in one transaction: any number of processes may start at once, and a
/// failure leaves the file as it was. Gives the layout that was found.
pub(super) async fn update_schema(
    conn: &mut SqliteConnection,
    path: &Path,
) -> Result<SchemaLayout, StoreError> {
    // A new file has no list of migrations yet.
    let found = schema::read_layout(&mut ReadConnection::Sqlite(conn)).await.unwrap_or(SchemaLayout::None);
    match found {
        SchemaLayout::Ours => return Ok(found),
        SchemaLayout::Newer { found } => return Err(schema::newer_error(path.into(), found)),
        SchemaLayout::None | SchemaLayout::Older => {}
    }
    let failed = |e| error(path.into(), &e);
    let mut tx = conn.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    // The previous holder of the lock may have migrated, even to a newer layout.
    match schema::read_layout(&mut ReadConnection::Sqlite(&mut tx)).await.unwrap_or(SchemaLayout::None) {
        SchemaLayout::Ours => return tx.commit().await.map(|()| found).map_err(failed),
        SchemaLayout::Newer { found } => return Err(schema::newer_error(path.into(), found)),
        SchemaLayout::None | SchemaLayout::Older => {}
    }
    match schema::migrator(DatabaseKind::Sqlite).run_direct(None, &mut *tx, false).await {
        Ok(()) => tx.commit().await.map(|()| found).map_err(failed),
        Err(e) => Err(schema::migration_error(path.into(), e, failed)),
    }
}
