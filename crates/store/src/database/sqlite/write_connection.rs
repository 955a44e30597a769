//! The connection that writes. Its statements run on the calling thread, while sqlx has a thread for each connection: a writer runs
//! several statements in each transaction, and a trip between threads costs more than most of them.

use crate::{
    StoreOptions, SyncMode,
    database::{SqlArgument, SqlQuery, SqlRow, SqlValue},
    queries,
};
use countersign_events::Event;
use rusqlite::{
    CachedStatement, Connection, OpenFlags,
    types::{ToSqlOutput, Value, ValueRef},
};
use std::{path::Path, time::Duration};

/// The busy timeout of one attempt to take SQLite's lock. The attempts end at the wait's deadline.
const ATTEMPT: Duration = Duration::from_millis(250);

/// The number of prepared statements that are kept.
const STATEMENTS: usize = 32;

/// A connection to a file that has tables.
pub(super) struct WriteConnection {
    conn: Connection,
}

impl WriteConnection {
    /// Opens the file, and reads it once, so that SQLite opens the files beside it.
    pub(super) fn open(path: &Path, options: &StoreOptions) -> Result<Self, rusqlite::Error> {
        let conn = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        conn.set_prepared_statement_cache_capacity(STATEMENTS);
        conn.busy_timeout(options.busy)?;
        conn.pragma_update(
            None,
            "synchronous",
            match options.synchronous {
                SyncMode::Full => "FULL",
                SyncMode::Normal => "NORMAL",
            },
        )?;
        // When SQLite splits a page, it renumbers pages through a number beyond the file's end, and the commit then scans every
        // cache slot. New rows change the last pages of each index, so a small cache is enough.
        conn.pragma_update(None, "cache_size", -4_096)?;
        conn.pragma_update(None, "wal_autocheckpoint", super::connection::PAGES_PER_CHECKPOINT)?;
        conn.pragma_update(None, "temp_store", "memory")?;
        conn.query_row("SELECT count(*) FROM layout", [], |_| Ok(()))?;
        conn.busy_timeout(ATTEMPT)?;
        Ok(Self { conn })
    }

    /// Runs a statement without parameters and without rows.
    pub(super) fn run(&self, statement: &str) -> Result<(), rusqlite::Error> {
        let mut statement = self.conn.prepare_cached(statement)?;
        // Some pragmas return a row.
        statement.query([])?.next().map(|_| ())
    }

    /// Runs a statement, and returns its rows while `fits` accepts them.
    pub(super) fn query(
        &self,
        query: &SqlQuery,
        mut fits: impl FnMut(&SqlRow) -> bool,
    ) -> Result<Vec<SqlRow>, rusqlite::Error> {
        let mut statement = self.conn.prepare_cached(query.text())?;
        bind(&mut statement, query.arguments())?;
        let columns = statement.column_count();
        let mut found = statement.raw_query();
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let values = (0..columns).map(|column| row.get_ref(column).map(to_value));
            let row = SqlRow::Values(values.collect::<Result<_, _>>()?);
            if !fits(&row) {
                break;
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Inserts rows.
    pub(super) fn append<'a>(&self, events: impl Iterator<Item = &'a Event>) -> Result<(), rusqlite::Error> {
        let mut statement = self.conn.prepare_cached(queries::sqlite::APPEND)?;
        events.into_iter().try_for_each(|event| insert_event(&mut statement, event))
    }

    /// Closes the connection. The last one of all processes moves the write-ahead log into the file and removes it. If that fails,
    /// the next process to open the file does it.
    pub(super) fn close(self) {
        let _ = self.conn.close();
    }
}

fn insert_event(statement: &mut CachedStatement<'_>, event: &Event) -> Result<(), rusqlite::Error> {
    let Event { seq, thread_id, kind, timestamp, principal, data, hash } = event;
    let hash = hash.map(|hash| hash.to_string());
    statement.execute((
        seq,
        thread_id.as_str(),
        kind.as_str(),
        timestamp.to_string(),
        principal.as_str(),
        data.as_str(),
        hash,
    ))?;
    Ok(())
}

/// Binds values to `$1`, `$2` and so on. To SQLite these are names, which it numbers as it meets them.
fn bind(statement: &mut CachedStatement<'_>, arguments: &[SqlArgument]) -> Result<(), rusqlite::Error> {
    for index in 1..=statement.parameter_count() {
        let number = statement.parameter_name(index).and_then(|name| name.get(1..)?.parse::<usize>().ok());
        let argument = number.and_then(|number| arguments.get(number.checked_sub(1)?));
        let argument = argument.ok_or(rusqlite::Error::InvalidParameterCount(arguments.len(), index))?;
        statement.raw_bind_parameter(index, to_sql(argument))?;
    }
    Ok(())
}

fn to_sql(argument: &SqlArgument) -> ToSqlOutput<'_> {
    match argument {
        SqlArgument::Text(Some(text)) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        SqlArgument::Text(None) => ToSqlOutput::Owned(Value::Null),
        SqlArgument::Number(number) => ToSqlOutput::Owned(Value::Integer(*number)),
        SqlArgument::Boolean(value) => ToSqlOutput::Owned(Value::Integer(i64::from(*value))),
    }
}

/// SQLite stores any bytes as text. No query returns fractions.
fn to_value(value: ValueRef<'_>) -> SqlValue {
    match value {
        ValueRef::Null | ValueRef::Real(_) => SqlValue::Null,
        ValueRef::Integer(number) => SqlValue::Number(number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => SqlValue::Bytes(bytes.into()),
    }
}
