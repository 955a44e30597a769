//! Dumps of a log as SQL, with one line for each row, so that reviewers can read them. The restored rows are equal byte for
//! byte, and the restored database has the same layout.

use countersign_tests::run_sqlite3;
use std::{fmt::Write as _, path::Path};
use tokio::process::Command;

/// Selects the statements that create the objects of one kind, in the order in which they were created.
fn select_objects(kinds: &str) -> String {
    format!(
        "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND type IN ({kinds})
         ORDER BY rowid;"
    )
}

/// Selects a query for each table, which writes its rows as statements.
const SELECT_ROW_QUERIES: &str = r#"
SELECT 'SELECT ''INSERT INTO "' || t.name || '" VALUES('' || ' || (
        SELECT group_concat('quote("' || c.name || '")', ' || '','' || ') FROM pragma_table_info(t.name) c)
    || ' || '');'' FROM "' || t.name || '" ORDER BY 1;'
FROM sqlite_schema t WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'events' ORDER BY t.rowid;"#;

const SELECT_EVENTS: &str = "
SELECT 'INSERT INTO events VALUES(' || seq || ',' || quote(thread_id) || ',' || quote(type) || ',' || quote(timestamp) || ','
    || quote(principal) || ',' || quote(data) || ',' || quote(hash) || ');' FROM events ORDER BY seq;";

/// Dumps a file. The triggers come last, so that they neither refuse nor repeat what the rows say.
pub(crate) async fn dump_sqlite(file: &Path) -> String {
    let query = async |sql: &str| run_sqlite3(file, sql).await.expect("the file reads");
    let mut dump = String::new();
    for pragma in ["page_size", "auto_vacuum", "application_id", "user_version"] {
        let value = query(&format!("PRAGMA {pragma};")).await;
        writeln!(dump, "PRAGMA {pragma} = {value};").expect("a string");
    }
    // Every log that a program has opened has a write-ahead log.
    writeln!(dump, "PRAGMA journal_mode = WAL;").expect("a string");
    let tables = query(&select_objects("'table'")).await;
    let row_queries = query(SELECT_ROW_QUERIES).await;
    let (rows, events) = (query(&row_queries).await, query(SELECT_EVENTS).await);
    let rest = query(&select_objects("'index', 'view', 'trigger'")).await;
    writeln!(dump, "BEGIN;\n{tables}\n{rows}\n{events}\n{rest}\nCOMMIT;").expect("a string");
    dump
}

/// Dumps a database with the program of PostgreSQL.
pub(crate) async fn dump_postgres(url: &str) -> String {
    let mut command = Command::new("pg_dump");
    command.args(["--no-owner", "--no-privileges", "--inserts", url]);
    let ended = command.output().await.expect("pg_dump is installed");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let text = String::from_utf8(ended.stdout).expect("UTF-8");
    // What only some versions of the shell and the server know, and what differs with each dump.
    let is_kept = |line: &&str| {
        !line.starts_with("-- Dumped ")
            && !line.starts_with('\\')
            && !line.starts_with("SET transaction_timeout")
    };
    text.lines().filter(is_kept).fold(String::new(), |dump, line| dump + line + "\n")
}
