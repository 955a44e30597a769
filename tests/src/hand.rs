//! Somebody's own hand: SQL that goes round the gate and rings no bell.

use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use std::path::Path;
use tokio::process::Command;

/// A connection with none of our settings.
pub async fn plainly(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).connect().await.expect("the file opens")
}

/// Runs statements on a connection of their own. The error is what the database says.
pub async fn by_hand(path: &Path, sql: &str) -> Result<(), String> {
    let mut conn = plainly(path).await;
    let done = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut conn).await;
    let done = done.map(|_| ()).map_err(|e| e.to_string());
    conn.close().await.expect("a connection closes");
    done
}

/// Types statements into the real `sqlite3` shell. Gives what it prints, or what it complains of.
pub async fn shell(path: &Path, sql: &str) -> Result<String, String> {
    let typed = Command::new("sqlite3").arg("-bail").arg(path).arg(sql).output().await;
    let typed = typed.expect("the sqlite3 shell is installed");
    if typed.status.success() {
        Ok(String::from_utf8_lossy(&typed.stdout).trim_end().to_owned())
    } else {
        Err(String::from_utf8_lossy(&typed.stderr).into_owned())
    }
}
