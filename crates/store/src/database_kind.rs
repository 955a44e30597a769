//! The two kinds of database.

/// Which database's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// SQLite, in `migrations/sqlite`.
    Sqlite,
    /// PostgreSQL, in `migrations/postgres`.
    Postgres,
}
