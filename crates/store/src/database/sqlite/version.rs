//! The version of SQLite that this program is built with.

/// The version of SQLite.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}
