//! The process that holds a log's write lock.

use crate::DatabaseName;
use std::{fmt, time::Duration};

/// The process that holds a log's write lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockHolder {
    /// Its process id; on PostgreSQL the server process id.
    pub pid: u32,
    /// The program, with its subcommand; `None` if it is not known.
    pub program: Option<String>,
    /// The machine or container, if it is not the one of this process.
    pub host: Option<String>,
    /// The time since it took the lock; `None` if it is not known.
    pub held: Option<Duration>,
    /// What ends the wait, as the end of a sentence.
    pub remedy: String,
}

impl LockHolder {
    /// The remedy for a process on this machine, or on another one.
    pub(crate) fn remedy_for(pid: u32, host: Option<&str>) -> String {
        match host {
            None => format!("let it continue (`kill -CONT {pid}`) or end it (`kill {pid}`)"),
            Some(_) => "let it continue or end it there".to_owned(),
        }
    }
}

/// Says who holds the lock, and for how long: "process 4711 (countersign archive) has held the write lock for 34 s".
impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.pid)?;
        let on = self.host.as_ref().map(|host| format!("on host {host}"));
        let known: Vec<_> = self.program.iter().chain(&on).map(String::as_str).collect();
        if !known.is_empty() {
            write!(f, " ({})", known.join(", "))?;
        }
        match self.held {
            Some(held) => write!(f, " has held the write lock for {} s", held.as_secs()),
            None => f.write_str(" holds the write lock"),
        }
    }
}

/// The message for a log whose write lock did not become free in time.
pub(crate) fn describe_locked(place: &DatabaseName, holder: Option<&LockHolder>) -> String {
    match holder {
        Some(holder) => {
            format!("{place} is locked: {holder}; nothing was written, {}, and try again", holder.remedy)
        }
        None => format!(
            "{place} is locked: another program has held the write lock for too long; nothing was written, end its \
             transaction, and try again"
        ),
    }
}
