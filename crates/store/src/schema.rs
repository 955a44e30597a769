//! The layout of the log: embedded migrations, run once by whichever process comes first, and what to make
//! of a layout that is not the one that this program knows.

use crate::{
    DatabaseKind, DatabaseName, StoreError,
    database::{ReadConnection, SqlQuery},
    queries,
};
use sqlx::{
    SqlSafeStr,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};

/// The layout that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaLayout {
    /// There is no log yet.
    None,
    /// It has to be brought up to date.
    Older,
    /// This program can work with it.
    Ours,
    /// A later version has changed it so that this one cannot.
    Newer {
        /// Its number.
        found: i64,
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

/// The migrations in order: number, name, text. The same numbers mean the same on both databases.
#[must_use]
pub const fn migrations(kind: DatabaseKind) -> &'static [(i64, &'static str, &'static str)] {
    match kind {
        DatabaseKind::Sqlite => migrations!("sqlite"),
        DatabaseKind::Postgres => migrations!("postgres"),
    }
}

/// The number of the last migration that this program knows.
#[must_use]
pub(crate) fn latest_migration() -> i64 {
    migrations(DatabaseKind::Sqlite).last().map_or(0, |(number, ..)| *number)
}

pub(crate) fn migrator(kind: DatabaseKind) -> Migrator {
    let list = migrations(kind).iter().map(|(number, name, sql)| {
        Migration::new(*number, (*name).into(), MigrationType::Simple, (*sql).into_sql_str(), false)
    });
    let mut migrator = Migrator::with_migrations(list.collect());
    // Each database has a lock of ours by then, which ends with its transaction. The migrator's own is the
    // session's, and where a pooler lends the session, a migration that fails would leave it locked for good.
    migrator.set_locking(false);
    migrator
}

/// What the log's own list of migrations says. It is asked without any lock.
pub(crate) async fn read_layout(conn: &mut ReadConnection<'_>) -> Result<SchemaLayout, sqlx::Error> {
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
        return Ok(if found > latest_migration() {
            SchemaLayout::Newer { found }
        } else {
            SchemaLayout::Older
        });
    }
    // A neighbouring version has gone on. It says itself who may still work here.
    let oldest = conn.query_all(SqlQuery::new(queries::OLDEST_NEIGHBOUR)).await?;
    let oldest = oldest.first().and_then(|row| row.number(0)).unwrap_or(i64::MAX);
    Ok(if oldest <= latest_migration() { SchemaLayout::Ours } else { SchemaLayout::Newer { found } })
}

pub(crate) fn newer_error(place: DatabaseName, found: i64) -> StoreError {
    StoreError::NewerDatabase { place, found, known: latest_migration() }
}

/// Why migrating failed.
pub(crate) fn migration_error(
    place: DatabaseName,
    error: MigrateError,
    of_database: impl FnOnce(sqlx::Error) -> StoreError,
) -> StoreError {
    match error {
        MigrateError::VersionMissing(found) => newer_error(place, found),
        MigrateError::Execute(e) | MigrateError::ExecuteMigration(e, _) => of_database(e),
        e => StoreError::DamagedFile { place, why: e.to_string() },
    }
}
