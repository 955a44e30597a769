//! The file's schema.

use super::{connection::FileConnection, error};
use crate::{
    DatabaseKind, SchemaLayout, StoreError,
    database::{ReadConnection, SqlQuery},
    schema,
};
use std::{path::Path, time::Instant};

/// `CSGN`, in the file's header.
const APPLICATION_ID: i64 = 0x4353_474e;

/// The list of applied migrations, as the library has it that applies those of PostgreSQL.
const MIGRATIONS_TABLE: &str = "
CREATE TABLE IF NOT EXISTS _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
)";

/// Adds a migration to the list. The fourth parameter is its duration in nanoseconds.
const RECORD_MIGRATION: &str = "
INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
VALUES ($1, $2, TRUE, unhex($3), $4)";

/// Fails if the file belongs to another program. An empty file is accepted. Returns true if the file has tables.
pub(super) fn check_owner(conn: &FileConnection, path: &Path) -> Result<bool, StoreError> {
    let failed = |e: rusqlite::Error| error(path.into(), &e);
    // Read the tables first. One transaction writes the tables and the owner, so a reader that sees the tables then
    // sees the owner. In the other order, a process that writes both between the reads would make the file look
    // foreign.
    let tables = conn.query_number("SELECT count(*) FROM sqlite_schema").map_err(failed)?;
    let owner = conn.query_number("PRAGMA application_id").map_err(failed)?;
    if owner == APPLICATION_ID || (owner == 0 && tables == 0) {
        return Ok(tables > 0);
    }
    let why = "it is another program's SQLite database".to_owned();
    Err(StoreError::NotCountersign { place: path.into(), why })
}

/// The file's layout. A new file has no list of migrations yet.
pub(super) async fn find_layout(conn: &mut FileConnection) -> SchemaLayout {
    schema::read_layout(&mut ReadConnection::Sqlite(conn)).await.unwrap_or(SchemaLayout::None)
}

/// Migrates the schema in one transaction: any number of processes may start at once, and a failure changes nothing.
pub(super) async fn update_schema(conn: &mut FileConnection, path: &Path) -> Result<(), StoreError> {
    if !needs_update(find_layout(conn).await, path)? {
        return Ok(());
    }
    conn.write_in_transaction(apply_migrations).map_err(|e| error(path.into(), &e))?;
    // The previous holder of the lock may have migrated, even to a newer layout. Then nothing was applied.
    needs_update(find_layout(conn).await, path).map(|_| ())
}

/// Returns true if the file has an older layout, and fails if it has a layout that this program does not know.
pub(super) fn needs_update(layout: SchemaLayout, path: &Path) -> Result<bool, StoreError> {
    match layout {
        SchemaLayout::Ours => Ok(false),
        SchemaLayout::None | SchemaLayout::Older => Ok(true),
        SchemaLayout::Newer { found, .. } => Err(schema::newer_error(path.into(), found)),
        SchemaLayout::Unreleased => Err(StoreError::UnreleasedDatabase { place: path.into() }),
    }
}

/// Applies the migrations that the list lacks, in the open transaction.
pub(crate) fn apply_migrations(conn: &FileConnection) -> Result<(), rusqlite::Error> {
    conn.run(MIGRATIONS_TABLE)?;
    let applied = conn.query_number("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")?;
    for migration in schema::migrator(DatabaseKind::Sqlite).iter().filter(|known| known.version > applied) {
        let began = Instant::now();
        conn.run_script(migration.sql.as_str())?;
        let taken = i64::try_from(began.elapsed().as_nanos()).unwrap_or(i64::MAX);
        let record = SqlQuery::new(RECORD_MIGRATION).bind(migration.version).bind(&*migration.description);
        conn.query_all(&record.bind(hex::encode(&*migration.checksum)).bind(taken))?;
    }
    Ok(())
}
