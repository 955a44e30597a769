//! The processes that use a log, and its migration beside them.

use std::{fmt, path::PathBuf};

/// A migration that this process has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationRecord {
    /// The copy of the previous file; `None` on PostgreSQL.
    pub copy: Option<PathBuf>,
    /// The other processes that used the log meanwhile.
    pub users: Vec<LogUser>,
}

/// A process that uses a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogUser {
    /// Its process id; on PostgreSQL the server process id.
    pub pid: u32,
    /// The program, with its subcommand; `None` if it is not known.
    pub program: Option<String>,
}

impl fmt::Display for LogUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.pid)?;
        self.program.as_ref().map_or(Ok(()), |program| write!(f, " ({program})"))
    }
}

/// Returns a sentence start: "process 12 (countersign serve) uses".
pub(crate) fn describe_users(users: &[LogUser]) -> String {
    match users {
        [] => "another process uses".to_owned(),
        [user] => format!("{user} uses"),
        users => format!("{} use", users.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}
