//! A connection to the file. Its statements run on the calling thread: most of them take less time than a trip between threads.

use crate::{
    StoreOptions, SyncMode,
    database::{SqlArgument, SqlQuery, SqlRow, SqlValue},
    queries,
};
use countersign_events::Event;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{
    CachedStatement, Connection, OpenFlags,
    config::DbConfig,
    types::{ToSqlOutput, Value, ValueRef},
};
use std::{
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

/// The number of prepared statements that a connection keeps.
const STATEMENTS: usize = 100;

/// How many steps SQLite takes between two questions whether a query is still wanted: less than a tenth of a millisecond.
const STEPS_PER_LOOK: i32 = 2_000;

/// How many pages the write-ahead log has before a commit moves it into the file. A checkpoint costs two fsyncs and writes
/// each changed page once, so rarer checkpoints write less.
const PAGES_PER_CHECKPOINT: u32 = 16_000;

/// The bytes of a path that a URI takes literally.
const URI_PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');

/// What a connection may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionAccess {
    Write,
    Read,
    /// Read a file that nobody changes meanwhile, without the files beside it.
    ReadImmutable,
}

/// How to connect to a file.
#[derive(Debug, Clone)]
pub(super) struct ConnectionSettings {
    path: PathBuf,
    access: ConnectionAccess,
    synchronous: SyncMode,
    busy: Duration,
    /// The cache's size in KiB.
    cache: i64,
}

impl ConnectionSettings {
    /// The settings of a connection that may write.
    pub(super) fn new(path: &Path, options: &StoreOptions) -> Self {
        Self {
            path: path.to_owned(),
            access: ConnectionAccess::Write,
            synchronous: options.synchronous,
            busy: options.busy,
            cache: 16_384,
        }
    }

    /// The settings of a connection that only reads.
    pub(super) fn restrict_to_reading(self) -> Self {
        Self { access: ConnectionAccess::Read, ..self }
    }

    /// The settings of a connection to a file that nobody writes.
    pub(super) fn restrict_to_immutable(self) -> Self {
        Self { access: ConnectionAccess::ReadImmutable, ..self }
    }

    /// The settings with a cache of this many KiB.
    pub(super) fn with_cache(self, cache: i64) -> Self {
        Self { cache, ..self }
    }

    /// Connects, and reads the file once, so that SQLite opens the files beside it.
    pub(super) fn connect(&self) -> Result<FileConnection, rusqlite::Error> {
        let access = match self.access {
            ConnectionAccess::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
            ConnectionAccess::Read | ConnectionAccess::ReadImmutable => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = if self.access == ConnectionAccess::ReadImmutable {
            let path = percent_encode(self.path.as_os_str().as_bytes(), URI_PATH);
            let uri = format!("file:{path}?immutable=1");
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
        } else {
            Connection::open_with_flags(&self.path, flags)?
        };
        conn.set_prepared_statement_cache_capacity(STATEMENTS);
        conn.busy_timeout(self.busy)?;
        conn.pragma_update(None, "cache_size", -self.cache)?;
        conn.pragma_update(None, "temp_store", "memory")?;
        if self.access == ConnectionAccess::Write {
            set_up_writing(&conn, self.synchronous)?;
        }
        Ok(FileConnection { conn })
    }
}

fn set_up_writing(conn: &Connection, synchronous: SyncMode) -> Result<(), rusqlite::Error> {
    // A batch changes a few rows on many index pages, and each page is written whole: half the usual size makes a commit a
    // third smaller. It applies to new files only.
    conn.pragma_update(None, "page_size", 2_048)?;
    let synchronous = match synchronous {
        SyncMode::Full => "FULL",
        SyncMode::Normal => "NORMAL",
    };
    conn.pragma_update(None, "synchronous", synchronous)?;
    conn.pragma_update(None, "wal_autocheckpoint", PAGES_PER_CHECKPOINT)
}

/// A connection to a file.
pub(crate) struct FileConnection {
    conn: Connection,
}

impl FileConnection {
    /// Connects to a new database in memory.
    pub(crate) fn open_in_memory() -> Result<Self, rusqlite::Error> {
        Ok(Self { conn: Connection::open_in_memory()? })
    }

    /// Sets how long a statement waits for SQLite's lock.
    pub(super) fn set_busy_timeout(&self, busy: Duration) -> Result<(), rusqlite::Error> {
        self.conn.busy_timeout(busy)
    }

    /// Ends the running query, and any later one, while `is_unwanted` returns true. It is asked from time to time.
    pub(super) fn stop_queries_when(
        &self,
        is_unwanted: impl FnMut() -> bool + Send + 'static,
    ) -> Result<(), rusqlite::Error> {
        self.conn.progress_handler(STEPS_PER_LOOK, Some(is_unwanted))
    }

    /// Runs a statement without parameters, and ignores its rows.
    pub(super) fn run(&self, statement: &str) -> Result<(), rusqlite::Error> {
        let mut statement = self.conn.prepare_cached(statement)?;
        // Some pragmas return a row.
        statement.query([])?.next().map(|_| ())
    }

    /// Runs a script of statements without parameters.
    pub(super) fn run_script(&self, statements: &str) -> Result<(), rusqlite::Error> {
        self.conn.execute_batch(statements)
    }

    /// Runs a statement, and returns its rows.
    pub(crate) fn query_all(&self, query: &SqlQuery) -> Result<Vec<SqlRow>, rusqlite::Error> {
        self.query(query, |_| true)
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
            let row = SqlRow::Sqlite(values.collect::<Result<_, _>>()?);
            if !fits(&row) {
                break;
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// The number in the first column of a statement's first row; 0 if there is none.
    pub(super) fn query_number(&self, statement: &'static str) -> Result<i64, rusqlite::Error> {
        let rows = self.query_all(&SqlQuery::new(statement))?;
        Ok(rows.first().and_then(|row| row.number(0)).unwrap_or(0))
    }

    /// Inserts rows.
    pub(super) fn append<'a>(&self, events: impl Iterator<Item = &'a Event>) -> Result<(), rusqlite::Error> {
        let mut statement = self.conn.prepare_cached(queries::sqlite::APPEND)?;
        events.into_iter().try_for_each(|event| insert_event(&mut statement, event))
    }

    /// Runs `work` in one snapshot of the log. It must not write.
    pub(super) fn read_in_transaction<T>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, rusqlite::Error>,
    ) -> Result<T, rusqlite::Error> {
        self.run("BEGIN")?;
        self.end_transaction(work(self))
    }

    /// Runs `work` in a transaction that has SQLite's write lock from its beginning, and rolls back if it fails.
    pub(super) fn write_in_transaction<T>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, rusqlite::Error>,
    ) -> Result<T, rusqlite::Error> {
        self.run("BEGIN IMMEDIATE")?;
        self.end_transaction(work(self))
    }

    fn end_transaction<T>(&self, done: Result<T, rusqlite::Error>) -> Result<T, rusqlite::Error> {
        let done = done.and_then(|done| self.run("COMMIT").map(|()| done));
        if done.is_err() {
            // This fails if SQLite has rolled back already.
            let _ = self.run("ROLLBACK");
        }
        done
    }

    /// Lets the end of this connection leave the write-ahead log as it is, also if it is the last one.
    pub(super) fn keep_wal(&self) -> Result<(), rusqlite::Error> {
        self.conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map(|_| ())
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
