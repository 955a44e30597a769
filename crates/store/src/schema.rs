//! The layout of the file: embedded migrations, run once by whichever process comes first.

use crate::{Error, error};
use sqlx::SqlSafeStr;
use sqlx::{
    Connection, SqliteConnection,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};
use std::path::Path;

/// `CSGN`, in the file's header.
pub(crate) const APPLICATION_ID: i64 = 0x4353_474e;

/// The migrations in order: number, name, text. `migrations/sqlite` holds them.
#[must_use]
pub const fn migrations() -> &'static [(i64, &'static str, &'static str)] {
    &[
        (1, "events", include_str!("../../../migrations/sqlite/0001_events.sql")),
        (2, "guards", include_str!("../../../migrations/sqlite/0002_guards.sql")),
        (3, "open_requests", include_str!("../../../migrations/sqlite/0003_open_requests.sql")),
        (4, "by_hand", include_str!("../../../migrations/sqlite/0004_by_hand.sql")),
        (5, "settings", include_str!("../../../migrations/sqlite/0005_settings.sql")),
        (6, "neighbours", include_str!("../../../migrations/sqlite/0006_neighbours.sql")),
    ]
}

fn migrator() -> Migrator {
    let list = migrations().iter().map(|(version, name, sql)| {
        Migration::new(*version, (*name).into(), MigrationType::Simple, (*sql).into_sql_str(), false)
    });
    Migrator::with_migrations(list.collect())
}

/// Whose file it is. A new one is nobody's yet.
pub(crate) async fn check_owner(conn: &mut SqliteConnection, path: &Path) -> Result<(), Error> {
    let failed = |e| error::of_sqlite(path, &e);
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
    Err(Error::NotOurs { path: path.to_path_buf(), why })
}

/// Brings the layout up to date, in one transaction: any number of processes may start at once, and a
/// failure leaves the file as it was.
pub(crate) async fn migrate(conn: &mut SqliteConnection, path: &Path) -> Result<(), Error> {
    if is_current(conn).await {
        return Ok(());
    }
    let failed = |e| error::of_sqlite(path, &e);
    let mut tx = conn.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    match migrator().run_direct(None, &mut *tx, false).await {
        Ok(()) => tx.commit().await.map_err(failed),
        Err(MigrateError::VersionMissing(found)) => {
            let known = migrations().last().map_or(0, |(version, ..)| *version);
            Err(Error::Newer { path: path.to_path_buf(), found, known })
        }
        Err(MigrateError::Execute(e) | MigrateError::ExecuteMigration(e, _)) => Err(failed(e)),
        Err(e) => Err(Error::Corrupt { path: path.to_path_buf(), why: e.to_string() }),
    }
}

/// Whether the file has just the layout that this program knows, found out without the write lock.
async fn is_current(conn: &mut SqliteConnection) -> bool {
    let applied: Result<Vec<(i64, Vec<u8>)>, _> =
        sqlx::query_as("SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY version")
            .fetch_all(conn)
            .await;
    let known = migrator();
    applied.is_ok_and(|applied| {
        applied.len() == known.iter().count()
            && known.iter().zip(&applied).all(|(known, (version, checksum))| {
                known.version == *version && *known.checksum == **checksum
            })
    })
}
