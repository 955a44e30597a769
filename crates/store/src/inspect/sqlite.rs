//! Schema and integrity checks on SQLite.

use super::{compare::SchemaObject, report::IntegrityReport};
use crate::{
    DatabaseKind, Store, StoreError,
    database::{
        QueryError, SqlQuery,
        sqlite::{FileConnection, apply_migrations},
    },
    queries,
};

/// The objects that the migrations make in a new database in memory.
pub(super) fn expected_objects() -> Result<Vec<SchemaObject>, QueryError> {
    let conn = FileConnection::open_in_memory()?;
    apply_migrations(&conn)?;
    let rows = conn.query_all(&SqlQuery::new(queries::SCHEMA_OBJECTS.on(DatabaseKind::Sqlite)))?;
    Ok(rows.iter().filter_map(SchemaObject::read).collect())
}

/// Compares each index with its table, and checks the structure of all pages. It reports at most 100 problems.
pub(super) async fn check_integrity(store: &Store) -> Result<IntegrityReport, StoreError> {
    match store.query_rows("integrity_check", SqlQuery::new("PRAGMA integrity_check(100)")).await {
        Ok(rows) => {
            let lines = rows.iter().filter_map(|row| row.text(0)).filter(|line| line != "ok");
            Ok(IntegrityReport { problems: lines.collect(), skipped: None })
        }
        // Some damage stops the check itself.
        Err(StoreError::DamagedFile { why, .. }) => {
            Ok(IntegrityReport { problems: vec![why], skipped: None })
        }
        Err(error) => Err(error),
    }
}
