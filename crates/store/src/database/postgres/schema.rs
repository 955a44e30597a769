//! The log schema in PostgreSQL. The first instance migrates it while the others wait.

use super::session::{ANSWER, SessionFactory, execute_text, query_bool};
use crate::{
    DatabaseKind, LogMigration, LogUser, MigrationRecord, PostgresAddress, SchemaLayout, StoreAccess,
    StoreError, StoreOptions, UnavailableDatabase,
    clock::with_timeout,
    database::{ReadConnection, SqlRow, postgres::error},
    queries, schema,
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

/// Takes the migration lock, which ends with the transaction. Instances that start together wait for it.
const LOCK_MIGRATION: &str = "SELECT pg_advisory_xact_lock(1129531214, 0);";

/// The migrator prepares statements by name. A pooler connection keeps them for its next client, whose migrator uses
/// the same names.
const DEALLOCATE: &str = "DEALLOCATE ALL;";

/// Creates or migrates the schema if it is not current. Returns the layout that was found, which may be a newer one that this
/// program can only read.
pub(super) async fn update_schema(
    conn: &mut PgConnection,
    address: &PostgresAddress,
    sessions: &SessionFactory,
    options: &StoreOptions,
) -> Result<(SchemaLayout, Option<MigrationRecord>), StoreError> {
    let failed = |e| error(address.database_name(), &e);
    execute_text(conn, sessions.begin("")).await.map_err(failed)?;
    let found = read_layout(conn, address).await;
    execute_text(conn, "ROLLBACK".to_owned()).await.map_err(failed)?;
    let found = found?;
    match found {
        SchemaLayout::Ours => return Ok((found, None)),
        SchemaLayout::Newer { found: number, is_readable: true } if options.access != StoreAccess::Write => {
            schema::warn_of_newer_layout(&address.database_name(), number);
            return Ok((found, None));
        }
        SchemaLayout::Newer { found, .. } => return Err(schema::newer_error(address.database_name(), found)),
        SchemaLayout::Unreleased => {
            return Err(StoreError::UnreleasedDatabase { place: address.database_name() });
        }
        SchemaLayout::Older if options.migration == LogMigration::Never => {
            return Err(StoreError::OlderDatabase { place: address.database_name() });
        }
        SchemaLayout::None if !options.create => {
            return Err(UnavailableDatabase::NoLog(address.database_name()).into());
        }
        SchemaLayout::None | SchemaLayout::Older => {}
    }
    match migrate(conn, address, sessions, options.migration).await {
        Ok(migration) => Ok((found, migration)),
        // A role that works with a log need not own it, and only the owner can migrate it.
        Err(StoreError::DatabaseUnavailable(UnavailableDatabase::Forbidden { place, why })) => {
            Err(UnavailableDatabase::MayNotMigrate { place, why }.into())
        }
        Err(error) => Err(error),
    }
}

async fn read_layout(conn: &mut PgConnection, address: &PostgresAddress) -> Result<SchemaLayout, StoreError> {
    let failed = |e| error(address.database_name(), &e);
    let tables = "SELECT to_regclass('events') IS NOT NULL, to_regclass('_sqlx_migrations') IS NOT NULL";
    let (events, migrations): (bool, bool) =
        with_timeout(ANSWER, sqlx::query_as(tables).persistent(false).fetch_one(&mut *conn))
            .await
            .map_err(failed)?;
    match (events, migrations) {
        (false, false) => Ok(SchemaLayout::None),
        (_, true) => schema::read_layout(&mut ReadConnection::Postgres(conn))
            .await
            .map_err(|e| e.describe(address.database_name())),
        (true, false) => {
            let why = "its table `events` belongs to another program; name another schema".to_owned();
            Err(StoreError::NotCountersign { place: address.database_name(), why })
        }
    }
}

/// Migrates in one transaction, so that a failure changes nothing.
async fn migrate(
    conn: &mut PgConnection,
    address: &PostgresAddress,
    sessions: &SessionFactory,
    wanted: LogMigration,
) -> Result<Option<MigrationRecord>, StoreError> {
    let failed = |e| error(address.database_name(), &e);
    // A stricter isolation level would read the layout as it was before the lock.
    let mut tx = conn.begin_with("BEGIN ISOLATION LEVEL READ COMMITTED").await.map_err(failed)?;
    // Other migrations, and an index over a long log, may take longer than the usual timeout.
    let deallocate = if sessions.pooled { DEALLOCATE } else { "" };
    let lock =
        [deallocate, sessions.local_settings(), "SET LOCAL statement_timeout = 0;", LOCK_MIGRATION].concat();
    sqlx::raw_sql(AssertSqlSafe(lock)).execute(&mut *tx).await.map_err(failed)?;
    create_schema_if_missing(&mut tx, address).await.map_err(failed)?;
    // The previous holder of the lock may have migrated, even to a newer layout.
    let mut migration = None;
    match read_layout(&mut tx, address).await? {
        SchemaLayout::Ours => return tx.commit().await.map(|()| None).map_err(failed),
        SchemaLayout::Newer { found, .. } => return Err(schema::newer_error(address.database_name(), found)),
        SchemaLayout::Unreleased => {
            return Err(StoreError::UnreleasedDatabase { place: address.database_name() });
        }
        SchemaLayout::None => {}
        SchemaLayout::Older => {
            let users = find_users(&mut tx).await.map_err(failed)?;
            if !users.is_empty() && wanted != LogMigration::Always {
                return Err(StoreError::MigrationBlocked { place: address.database_name(), users });
            }
            migration = Some(MigrationRecord { copy: None, users });
        }
    }
    match schema::migrator(DatabaseKind::Postgres).run_direct(None, &mut *tx, false).await {
        Ok(()) => {
            sqlx::raw_sql(deallocate).execute(&mut *tx).await.map_err(failed)?;
            tx.commit().await.map(|()| migration).map_err(failed)
        }
        Err(e) => Err(schema::migration_error(address.database_name(), e, failed)),
    }
}

/// The instances that use the log: each marks it on the connection on which it listens. Others may start meanwhile, and do not
/// keep this transaction waiting.
async fn find_users(conn: &mut PgConnection) -> Result<Vec<LogUser>, sqlx::Error> {
    let found = sqlx::raw_sql(queries::postgres::LOG_USERS).fetch_all(conn).await?;
    let rows = found.into_iter().map(SqlRow::Postgres);
    let user = |row: SqlRow| {
        Some(LogUser {
            pid: row.number(0)?.try_into().ok()?,
            program: row.text(1).filter(|name| !name.is_empty()),
        })
    };
    Ok(rows.filter_map(user).collect())
}

/// Creates the schema that the address names if it is missing. `IF NOT EXISTS` would need the right to create even
/// for an existing schema.
async fn create_schema_if_missing(
    conn: &mut PgConnection,
    address: &PostgresAddress,
) -> Result<(), sqlx::Error> {
    let Some(schema) = &address.schema else { return Ok(()) };
    if !query_bool(conn, format!("SELECT to_regnamespace('\"{schema}\"') IS NOT NULL")).await? {
        execute_text(conn, format!("CREATE SCHEMA \"{schema}\"")).await?;
    }
    Ok(())
}

/// The channel of this log's notifications.
pub(super) async fn channel(
    conn: &mut PgConnection,
    sessions: &SessionFactory,
) -> Result<String, sqlx::Error> {
    execute_text(conn, sessions.begin("")).await?;
    let text = "SELECT 'countersign_' || 'events'::regclass::oid";
    let channel =
        with_timeout(ANSWER, sqlx::query_scalar(text).persistent(false).fetch_one(&mut *conn)).await?;
    execute_text(conn, "COMMIT".to_owned()).await?;
    Ok(channel)
}
