//! The two kinds of database.

/// A kind of database. It selects the migrations and the text of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// SQLite, in `migrations/sqlite`.
    Sqlite,
    /// PostgreSQL, in `migrations/postgres`.
    Postgres,
}
