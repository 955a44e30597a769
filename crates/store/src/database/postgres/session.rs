//! A connection to PostgreSQL: how it is made, what is set on it, and how long it may take.

use crate::{PostgresAddress, StoreError, SyncMode, UnavailableDatabase, clock::with_timeout};
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection, Row, postgres::PgConnectOptions};
use std::time::Duration;

/// How long the server may take to let us in.
const LOGIN: Duration = Duration::from_secs(5);

/// How long we wait for an answer, which is longer than the server gives itself: whatever takes longer is
/// lost on the way.
pub(super) const ANSWER: Duration = Duration::from_secs(40);

/// What is set on every connection.
///
/// All queries here look things up in indexes, as SQLite's do, and a plan that reads the whole log because
/// it knows nothing of it yet must not be chosen. A transaction whose process was lost holds the lock on
/// the end of the log, so the server ends it soon.
pub const SETTINGS: &[(&str, &str)] = &[
    ("statement_timeout", "'30s'"),
    ("idle_in_transaction_session_timeout", "'5s'"),
    ("default_transaction_isolation", "'read committed'"),
    ("enable_seqscan", "off"),
    ("enable_bitmapscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_material", "off"),
    ("enable_mergejoin", "off"),
    ("jit", "off"),
    ("client_min_messages", "error"),
];

/// How sessions are made.
#[derive(Clone)]
pub(super) struct SessionFactory {
    pub(super) connect: PgConnectOptions,
    /// Sets everything, for a session or, where a pooler lends one for a transaction only, for that.
    settings: String,
    /// Whether what is set and prepared is gone with the transaction.
    pub(super) pooled: bool,
}

impl SessionFactory {
    pub(super) fn new(address: &PostgresAddress, synchronous: SyncMode) -> Self {
        let pooled = address.pooled;
        // There are no such numbers here, and a pooler turns away who asks how they are to be written.
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
            // Stronger levels, which wait for standbys, are the operator's to choose.
            SyncMode::Full => format!(
                "SELECT set_config('synchronous_commit', 'on', {pooled}) WHERE current_setting('synchronous_commit') = 'off';"
            ),
        });
        let settings = all.concat();
        Self { connect, settings, pooled }
    }

    /// Opens a connection.
    pub(super) async fn open(&self) -> Result<PgConnection, sqlx::Error> {
        let mut conn = with_timeout(LOGIN, self.connect.connect()).await?;
        self.set_up(&mut conn).await?;
        Ok(conn)
    }

    /// Sets what holds for a whole session, where there is one.
    pub(super) async fn set_up(&self, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
        if self.pooled {
            return Ok(());
        }
        execute_text(conn, self.settings.clone()).await
    }

    /// What a transaction begins with that begins by itself.
    pub(super) fn transaction_prelude(&self) -> String {
        // What is set may take a snapshot already, after which the level could not be changed any more.
        if self.pooled { self.begin(" ISOLATION LEVEL READ COMMITTED") } else { String::new() }
    }

    /// How a transaction begins.
    pub(super) fn begin(&self, mode: &str) -> String {
        format!("BEGIN{mode};{}", self.local_settings())
    }

    /// What has to be set at the beginning of each transaction.
    pub(super) fn local_settings(&self) -> &str {
        if self.pooled { &self.settings } else { "" }
    }
}

/// Has plain statements carried out, and gives up on an answer that does not come.
pub(super) async fn execute_text(conn: &mut PgConnection, text: String) -> Result<(), sqlx::Error> {
    with_timeout(ANSWER, sqlx::raw_sql(AssertSqlSafe(text)).execute(conn)).await.map(|_| ())
}

/// Asks something outside of any transaction. It is one message, because a pooler may give whatever comes
/// after it to another connection, which has not heard of what was prepared.
pub(super) async fn query_bool(conn: &mut PgConnection, text: String) -> Result<bool, sqlx::Error> {
    with_timeout(ANSWER, sqlx::raw_sql(AssertSqlSafe(text)).fetch_one(conn)).await?.try_get(0)
}

/// The server's version, as a number of six digits, and whether it is a standby.
pub(super) async fn check_server(conn: &mut PgConnection, address: &PostgresAddress) -> Result<(), StoreError> {
    let version = conn.server_version_num().unwrap_or(OLDEST_VERSION * 10_000);
    if version < OLDEST_VERSION * 10_000 {
        let found = format!("{}.{}", version / 10_000, version % 10_000);
        return Err(UnavailableDatabase::TooOld { place: address.place(), found, least: OLDEST_VERSION }.into());
    }
    match query_bool(conn, "SELECT pg_is_in_recovery()".to_owned()).await {
        Ok(false) => Ok(()),
        Ok(true) => Err(UnavailableDatabase::Standby(address.place()).into()),
        Err(e) => Err(super::error(address.place(), &e)),
    }
}

/// The oldest version of PostgreSQL that knows functions with a body in standard SQL.
pub const OLDEST_VERSION: u32 = 14;
