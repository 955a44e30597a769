//! The two kinds of database.

/// A database kind. It selects the migrations and the SQL of each query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// SQLite, in `migrations/sqlite`.
    Sqlite,
    /// PostgreSQL, in `migrations/postgres`.
    Postgres,
}
