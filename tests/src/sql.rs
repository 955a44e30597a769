//! Plain SQL connections and shells, which bypass the gate and do not use the connection settings of the store.

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, Row, SqlSafeStr, SqliteConnection,
    migrate::{Migration, MigrationType, Migrator},
    sqlite::SqliteConnectOptions,
};
use std::{path::Path, process::Stdio};
use tokio::{io::AsyncWriteExt, process::Command};

/// A plain connection to either database.
pub enum SqlConnection {
    /// A connection to an SQLite file.
    Sqlite(SqliteConnection),
    /// A connection to a PostgreSQL server.
    Postgres(PgConnection),
}

impl SqlConnection {
    /// Connects to a PostgreSQL database.
    pub async fn open(url: &str) -> Self {
        Self::Postgres(PgConnection::connect(url).await.expect("the database accepts the connection"))
    }

    /// Runs statements. The error is the database's message.
    pub async fn run(&mut self, sql: &str) -> Result<(), String> {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        let done = match self {
            Self::Sqlite(conn) => sql.execute(conn).await.map(|_| ()),
            Self::Postgres(conn) => sql.execute(conn).await.map(|_| ()),
        };
        done.map_err(|e| e.to_string())
    }

    /// Runs a query that returns one text per row. The error is the database's message.
    pub async fn query_texts(&mut self, sql: &str) -> Result<Vec<String>, String> {
        let sql = AssertSqlSafe(sql.to_owned());
        let read = match self {
            Self::Sqlite(conn) => sqlx::query_scalar(sql).fetch_all(conn).await,
            Self::Postgres(conn) => sqlx::query_scalar(sql).fetch_all(conn).await,
        };
        read.map_err(|e| e.to_string())
    }

    /// Runs an `EXPLAIN QUERY PLAN` statement on SQLite, and returns the plan's steps.
    pub async fn details(&mut self, explain: &str) -> Result<Vec<String>, String> {
        let Self::Sqlite(conn) = self else {
            return Err("only SQLite explains a plan in this form".to_owned());
        };
        let rows = sqlx::query(AssertSqlSafe(explain.to_owned()))
            .fetch_all(conn)
            .await
            .map_err(|e| e.to_string())?;
        Ok(rows.iter().map(|row| row.get("detail")).collect())
    }

    /// Prepares a statement without executing it. The error is the database's message.
    pub async fn prepare(&mut self, sql: &str) -> Result<(), String> {
        let sql = AssertSqlSafe(sql.to_owned()).into_sql_str();
        let prepared = match self {
            Self::Sqlite(conn) => conn.prepare(sql).await.map(|_| ()),
            Self::Postgres(conn) => conn.prepare(sql).await.map(|_| ()),
        };
        prepared.map_err(|e| e.to_string())
    }

    /// Runs migrations in the same way as the store. Each step has a number, a name and its SQL.
    pub async fn migrate(&mut self, steps: &[(i64, &'static str, &'static str)]) {
        let steps = steps.iter().map(|(number, name, sql)| {
            Migration::new(*number, (*name).into(), MigrationType::Simple, (*sql).into_sql_str(), false)
        });
        let migrator = Migrator::with_migrations(steps.collect());
        let done = match self {
            Self::Sqlite(conn) => migrator.run_direct(None, conn, false).await,
            Self::Postgres(conn) => migrator.run_direct(None, conn, false).await,
        };
        done.expect("the migration succeeds");
    }

    /// Closes the connection.
    pub async fn close(self) {
        let closed = match self {
            Self::Sqlite(conn) => conn.close().await,
            Self::Postgres(conn) => conn.close().await,
        };
        closed.expect("the connection closes");
    }
}

/// Opens a plain connection to an SQLite file.
pub async fn open_file(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).connect().await.expect("the file opens")
}

/// Runs statements on an SQLite file, over a new connection. The error is the message of SQLite.
pub async fn run_sql_on(path: &Path, sql: &str) -> Result<(), String> {
    let mut connection = SqlConnection::Sqlite(open_file(path).await);
    let outcome = connection.run(sql).await;
    connection.close().await;
    outcome
}

/// Runs statements in the real `sqlite3` shell. Returns its output, or its error message.
pub async fn run_sqlite3(path: &Path, sql: &str) -> Result<String, String> {
    run_shell(Command::new("sqlite3").arg("-bail").arg(path), sql).await
}

/// Runs statements in the real `psql`, with the output format of `sqlite3`. Returns its output, or its error message.
pub async fn run_psql(url: &str, sql: &str) -> Result<String, String> {
    let plain = ["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1"];
    run_shell(Command::new("psql").args(plain).arg(url), sql).await
}

async fn run_shell(shell: &mut Command, sql: &str) -> Result<String, String> {
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = shell.spawn().unwrap_or_else(|why| panic!("{shell:?}: {why}"));
    // A shell that stopped at an error does not read the rest, so the write may fail.
    let _ = running.stdin.take().expect("stdin is piped").write_all(sql.as_bytes()).await;
    let output = running.wait_with_output().await.expect("the process ends");
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
