//! Inspects the database below the log: its schema, compared with the one that the migrations make, and the integrity of
//! its files.

mod compare;
mod postgres;
mod report;
mod sqlite;

pub use postgres::EXPECTED_OBJECTS as POSTGRES_OBJECTS;
pub use report::{IntegrityReport, SchemaReport};

use crate::{DatabaseKind, Store, StoreError, database::SqlQuery, queries, schema::latest_migration};
use compare::{SchemaObject, compare_objects};

impl Store {
    /// Compares the schema objects with those that the migrations make. A newer version's schema is not compared, and
    /// the report says so.
    pub async fn inspect_schema(&self) -> Result<SchemaReport, StoreError> {
        let applied = self.query_rows("applied", SqlQuery::new(queries::APPLIED)).await?;
        let last = applied.last().and_then(|row| row.number(0)).unwrap_or(0);
        if last > latest_migration() {
            let note =
                format!("a newer version changed the schema (migration {last}), so it was not compared");
            return Ok(SchemaReport { problems: Vec::new(), notes: vec![note] });
        }
        let kind = self.inner.readers.kind();
        let rows = self.query_rows("schema_objects", SqlQuery::new(queries::SCHEMA_OBJECTS.on(kind))).await?;
        let found = rows.iter().filter_map(SchemaObject::read).collect();
        let (expected, found) = match kind {
            DatabaseKind::Sqlite => {
                let expected = sqlite::expected_objects().map_err(|e| self.database_error(&e))?;
                (expected, found)
            }
            DatabaseKind::Postgres => postgres::comparable_objects(found),
        };
        Ok(compare_objects(&expected, &found))
    }

    /// Runs the database integrity check, which finds damaged pages and indexes that differ from their table.
    pub async fn inspect_integrity(&self) -> Result<IntegrityReport, StoreError> {
        match self.inner.readers.kind() {
            DatabaseKind::Sqlite => sqlite::check_integrity(self).await,
            DatabaseKind::Postgres => postgres::check_integrity(self).await,
        }
    }
}
