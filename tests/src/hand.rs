//! Somebody's own hand: SQL that goes round the gate, with none of our settings.

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, Row, SqlSafeStr, SqliteConnection,
    migrate::{Migration, MigrationType, Migrator},
    sqlite::SqliteConnectOptions,
};
use std::{path::Path, process::Stdio};
use tokio::{io::AsyncWriteExt, process::Command};

/// A connection to either database.
pub enum Hand {
    /// To a file.
    Sqlite(SqliteConnection),
    /// To a server.
    Postgres(PgConnection),
}

impl Hand {
    /// Reaches into a PostgreSQL database.
    pub async fn at(url: &str) -> Self {
        Self::Postgres(PgConnection::connect(url).await.expect("the database lets us in"))
    }

    /// Runs statements. The error is what the database says.
    pub async fn does(&mut self, sql: &str) -> Result<(), String> {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        let done = match self {
            Self::Sqlite(conn) => sql.execute(conn).await.map(|_| ()),
            Self::Postgres(conn) => sql.execute(conn).await.map(|_| ()),
        };
        done.map_err(|e| e.to_string())
    }

    /// Asks something that is answered by one text a row.
    pub async fn reads(&mut self, sql: &str) -> Result<Vec<String>, String> {
        let sql = AssertSqlSafe(sql.to_owned());
        let read = match self {
            Self::Sqlite(conn) => sqlx::query_scalar(sql).fetch_all(conn).await,
            Self::Postgres(conn) => sqlx::query_scalar(sql).fetch_all(conn).await,
        };
        read.map_err(|e| e.to_string())
    }

    /// Asks SQLite for the steps of a plan.
    pub async fn details(&mut self, explain: &str) -> Result<Vec<String>, String> {
        let Self::Sqlite(conn) = self else { return Err("only SQLite explains a plan in this form".to_owned()) };
        let rows = sqlx::query(AssertSqlSafe(explain.to_owned())).fetch_all(conn).await.map_err(|e| e.to_string())?;
        Ok(rows.iter().map(|row| row.get("detail")).collect())
    }

    /// Has a statement prepared and not carried out. The error is what the database says.
    pub async fn prepares(&mut self, sql: &str) -> Result<(), String> {
        let sql = AssertSqlSafe(sql.to_owned()).into_sql_str();
        let prepared = match self {
            Self::Sqlite(conn) => conn.prepare(sql).await.map(|_| ()),
            Self::Postgres(conn) => conn.prepare(sql).await.map(|_| ()),
        };
        prepared.map_err(|e| e.to_string())
    }

    /// Brings the layout to the last of the steps, as the store itself does it.
    pub async fn brings_to(&mut self, steps: &[(i64, &'static str, &'static str)]) {
        let steps = steps.iter().map(|(number, name, sql)| {
            Migration::new(*number, (*name).into(), MigrationType::Simple, (*sql).into_sql_str(), false)
        });
        let migrator = Migrator::with_migrations(steps.collect());
        let done = match self {
            Self::Sqlite(conn) => migrator.run_direct(None, conn, false).await,
            Self::Postgres(conn) => migrator.run_direct(None, conn, false).await,
        };
        done.expect("it migrates");
    }

    /// Lets go, tidily.
    pub async fn lets_go(self) {
        let closed = match self {
            Self::Sqlite(conn) => conn.close().await,
            Self::Postgres(conn) => conn.close().await,
        };
        closed.expect("a connection closes");
    }
}

/// A connection to a file.
pub async fn plainly(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).connect().await.expect("the file opens")
}

/// Runs statements on a file, over a connection of their own. The error is what SQLite says.
pub async fn by_hand(path: &Path, sql: &str) -> Result<(), String> {
    let mut hand = Hand::Sqlite(plainly(path).await);
    let done = hand.does(sql).await;
    hand.lets_go().await;
    done
}

/// Types statements into the real `sqlite3` shell. Gives what it prints, or what it complains of.
pub async fn shell(path: &Path, sql: &str) -> Result<String, String> {
    typed(Command::new("sqlite3").arg("-bail").arg(path), sql).await
}

/// Types statements into the real `psql`, which prints as `sqlite3` does. Gives that, or what it complains of.
pub async fn psql(url: &str, sql: &str) -> Result<String, String> {
    let plain = ["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1"];
    typed(Command::new("psql").args(plain).arg(url), sql).await
}

async fn typed(shell: &mut Command, sql: &str) -> Result<String, String> {
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = shell.spawn().unwrap_or_else(|why| panic!("{shell:?}: {why}"));
    // A shell that has stopped at a mistake does not read the rest.
    let _ = running.stdin.take().expect("it is piped").write_all(sql.as_bytes()).await;
    let said = running.wait_with_output().await.expect("it ends");
    if said.status.success() {
        Ok(String::from_utf8_lossy(&said.stdout).trim_end().to_owned())
    } else {
        Err(String::from_utf8_lossy(&said.stderr).into_owned())
    }
}
