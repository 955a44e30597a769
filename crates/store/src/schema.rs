//! The log's layout: the embedded migrations, which the first process runs once, and the handling of layouts from other
//! versions.

use crate::{
    DatabaseKind, DatabaseName, StoreError,
    database::{QueryError, ReadConnection, SqlQuery},
    queries,
};
use sqlx::{
    SqlSafeStr,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};

/// The layout that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaLayout {
    /// The database has no log yet.
    None,
    /// The log must be migrated.
    Older,
    /// A development version made the log, with a layout that no release has.
    Unreleased,
    /// This program can work with the log as it is.
    Ours,
    /// A newer version has changed the layout, and this program cannot write to it.
    Newer {
        /// The number of the last applied migration.
        found: i64,
        /// Whether this program can read it.
        is_readable: bool,
    },
}

macro_rules! migrations {
    ($folder:literal) => {
        migrations!($folder: 1 "log", 2 "open_requests", 3 "views")
    };
    ($folder:literal: $($number:literal $name:literal),*) => {
        &[$((
            $number,
            $name,
            include_str!(concat!("../../../migrations/", $folder, "/000", $number, "_", $name, ".sql")),
        )),*]
    };
}

/// Returns the migrations in order: number, name and SQL. A number has the same meaning on both databases.
#[must_use]
pub const fn migrations(kind: DatabaseKind) -> &'static [(i64, &'static str, &'static str)] {
    match kind {
        DatabaseKind::Sqlite => migrations!("sqlite"),
        DatabaseKind::Postgres => migrations!("postgres"),
    }
}

/// Returns the number of the last migration that this program knows.
#[must_use]
pub(crate) fn latest_migration() -> i64 {
    migrations(DatabaseKind::Sqlite).last().map_or(0, |(number, ..)| *number)
}

pub(crate) fn migrator(kind: DatabaseKind) -> Migrator {
    let list = migrations(kind).iter().map(|(number, name, sql)| {
        Migration::new(*number, (*name).into(), MigrationType::Simple, (*sql).into_sql_str(), false)
    });
    let mut migrator = Migrator::with_migrations(list.collect());
    // The caller holds its own lock, which ends with the transaction. The migrator's lock belongs to the session.
    // Behind a pooler, a failed migration would leave the session locked.
    migrator.set_locking(false);
    migrator
}

/// Reads the layout from the log's list of migrations, without a lock.
pub(crate) async fn read_layout(conn: &mut ReadConnection<'_>) -> Result<SchemaLayout, QueryError> {
    let kind = conn.kind();
    let applied = conn.query_all(SqlQuery::new(queries::APPLIED)).await?;
    let known = migrator(kind);
    let same = known.iter().zip(&applied).all(|(known, found)| {
        Some(known.version) == found.number(0) && found.bytes(1).ok().flatten() == Some(&*known.checksum)
    });
    let count = known.iter().count();
    if same && applied.len() < count {
        return Ok(SchemaLayout::Older);
    }
    if same && applied.len() == count {
        return Ok(SchemaLayout::Ours);
    }
    let found = applied.last().and_then(|row| row.number(0)).unwrap_or(0);
    if !same {
        let is_newer = found > latest_migration();
        return Ok(if is_newer {
            SchemaLayout::Newer { found, is_readable: false }
        } else {
            SchemaLayout::Unreleased
        });
    }
    // A newer version has applied more migrations. The table `layout` has the oldest layouts that may still use and read the log.
    let oldest = conn.query_all(SqlQuery::new(queries::OLDEST_NEIGHBOUR)).await?;
    let permits = |column| {
        oldest.first().and_then(|row| row.number(column)).is_some_and(|oldest| oldest <= latest_migration())
    };
    Ok(if permits(0) { SchemaLayout::Ours } else { SchemaLayout::Newer { found, is_readable: permits(1) } })
}

/// Warns that the log was opened to read only, because a newer version has changed its layout.
pub(crate) fn warn_of_newer_layout(place: &DatabaseName, found: i64) {
    tracing::warn!(
        log = %place,
        layout = found,
        known = latest_migration(),
        "a newer Countersign has changed this log's layout: this program reads it and writes nothing"
    );
}

pub(crate) fn newer_error(place: DatabaseName, found: i64) -> StoreError {
    StoreError::NewerDatabase { place, found, known: latest_migration() }
}

/// Converts a migrator error.
pub(crate) fn migration_error(
    place: DatabaseName,
    error: MigrateError,
    convert: impl FnOnce(sqlx::Error) -> StoreError,
) -> StoreError {
    match error {
        MigrateError::VersionMissing(found) => newer_error(place, found),
        MigrateError::Execute(e) | MigrateError::ExecuteMigration(e, _) => convert(e),
        e => StoreError::DamagedFile { place, why: e.to_string() },
    }
}
