//! Connections to PostgreSQL: their settings and timeouts.

use crate::{PostgresAddress, StoreError, SyncMode, UnavailableDatabase, clock::with_timeout};
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection, Row, postgres::PgConnectOptions};
use std::time::Duration;

/// The longest wait for a login.
const LOGIN: Duration = Duration::from_secs(5);

/// The longest wait for an answer. It is longer than the server's timeout, so after this time the answer is lost.
pub(super) const ANSWER: Duration = Duration::from_secs(30);

/// The settings of every connection.
///
/// All queries use indexes, as on SQLite. Without statistics the planner might read the whole log, so other plans are
/// disabled. A transaction whose process was lost holds the lock on the log's end, so the server ends it soon.
pub const SETTINGS: &[(&str, &str)] = &[
    ("statement_timeout", "'25s'"),
    ("lock_timeout", "'10s'"),
    ("idle_in_transaction_session_timeout", "'5s'"),
    ("default_transaction_isolation", "'read committed'"),
    ("enable_seqscan", "off"),
    ("enable_bitmapscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_material", "off"),
    ("enable_mergejoin", "off"),
    ("jit", "off"),
    ("client_min_messages", "error"),
    // Without it, a backslash in a plain string is an escape.
    ("standard_conforming_strings", "on"),
];

/// Opens connections with their settings.
#[derive(Clone)]
pub(super) struct SessionFactory {
    pub(super) connect: PgConnectOptions,
    /// The statements that apply the settings: to the session, or behind a pooler to the transaction.
    settings: String,
    /// Whether the connection is behind a pooler: settings and prepared statements end with the transaction.
    pub(super) pooled: bool,
}

impl SessionFactory {
    pub(super) fn new(address: &PostgresAddress, synchronous: SyncMode) -> Self {
        let pooled = address.pooled;
        // No query uses floating-point numbers, and a pooler rejects this startup parameter.
        let mut connect = address.connect.clone().extra_float_digits(None);
        if connect.get_application_name().is_none() {
            connect = connect.application_name("countersign");
        }
        if pooled {
            connect = connect.statement_cache_capacity(0);
        }
        let set = if pooled { "SET LOCAL" } else { "SET" };
        let mut all: Vec<_> =
            SETTINGS.iter().map(|(name, value)| format!("{set} {name} = {value};")).collect();
        all.extend(address.schema.iter().map(|schema| format!("{set} search_path = \"{schema}\";")));
        all.push(match synchronous {
            SyncMode::Normal => format!("{set} synchronous_commit = off;"),
            // The operator may have chosen a stronger level, which waits for standbys.
            SyncMode::Full => format!(
                "SELECT set_config('synchronous_commit', 'on', {pooled}) WHERE current_setting('synchronous_commit') = 'off';"
            ),
        });
        let settings = all.concat();
        Self { connect, settings, pooled }
    }

    /// Lets the sessions only read.
    pub(super) fn restrict_to_reading(&mut self) {
        // Behind a pooler, the settings come after the transaction has begun.
        self.settings.push_str(if self.pooled {
            "SET LOCAL transaction_read_only = on;"
        } else {
            "SET default_transaction_read_only = on;"
        });
    }

    /// Opens a connection.
    pub(super) async fn open(&self) -> Result<PgConnection, sqlx::Error> {
        let mut conn = with_timeout(LOGIN, self.connect.connect()).await?;
        self.set_up(&mut conn).await?;
        Ok(conn)
    }

    /// Applies the settings to the session, unless a pooler lends it.
    pub(super) async fn set_up(&self, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
        if self.pooled {
            return Ok(());
        }
        execute_text(conn, self.settings.clone()).await
    }

    /// The statements before one that starts its own transaction; empty without a pooler.
    pub(super) fn transaction_prelude(&self) -> String {
        // The settings may take a snapshot, and after that the isolation level cannot change, so start here with the
        // level.
        if self.pooled { self.begin(" ISOLATION LEVEL READ COMMITTED") } else { String::new() }
    }

    /// The statements that start a transaction.
    pub(super) fn begin(&self, mode: &str) -> String {
        format!("BEGIN{mode};{}", self.local_settings())
    }

    /// The settings at the start of each transaction.
    pub(super) fn local_settings(&self) -> &str {
        if self.pooled { &self.settings } else { "" }
    }
}

/// Runs plain statements, with a timeout.
pub(super) async fn execute_text(conn: &mut PgConnection, text: String) -> Result<(), sqlx::Error> {
    with_timeout(ANSWER, sqlx::raw_sql(AssertSqlSafe(text)).execute(conn)).await.map(|_| ())
}

/// Runs a query outside a transaction. It is a single message, because a pooler may send the next one to another
/// connection, which does not have the prepared statement.
pub(super) async fn query_bool(conn: &mut PgConnection, text: String) -> Result<bool, sqlx::Error> {
    with_timeout(ANSWER, sqlx::raw_sql(AssertSqlSafe(text)).fetch_one(conn)).await?.try_get(0)
}

/// Checks the server's version, and that it is not a standby.
pub(super) async fn check_server(
    conn: &mut PgConnection,
    address: &PostgresAddress,
) -> Result<(), StoreError> {
    let version = conn.server_version_num().unwrap_or(OLDEST_VERSION * 10_000);
    if version < OLDEST_VERSION * 10_000 {
        let found = format!("{}.{}", version / 10_000, version % 10_000);
        return Err(UnavailableDatabase::TooOld {
            place: address.database_name(),
            found,
            least: OLDEST_VERSION,
        }
        .into());
    }
    match query_bool(conn, "SELECT pg_is_in_recovery()".to_owned()).await {
        Ok(false) => Ok(()),
        Ok(true) => Err(UnavailableDatabase::Standby(address.database_name()).into()),
        Err(e) => Err(super::error(address.database_name(), &e)),
    }
}

/// The oldest PostgreSQL version that supports functions with a body in standard SQL.
pub const OLDEST_VERSION: u32 = 14;
