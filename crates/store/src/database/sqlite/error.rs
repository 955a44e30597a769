//! The meaning of SQLite's errors, by result code (<https://sqlite.org/rescode.html>).

use crate::{DatabaseName, StoreError, UnavailableDatabase, database::BatchFailure};
use countersign_approvals::Refused;

const READONLY: u32 = 8;
const BUSY: u32 = 5;
const LOCKED: u32 = 6;
const CORRUPT: u32 = 11;
const FULL: u32 = 13;
const CONSTRAINT: u32 = 19;
const NOTADB: u32 = 26;
/// The shared memory beside the file cannot grow (`SQLITE_IOERR_SHMSIZE`), because the disk is full.
const SHARED_MEMORY_SIZE: u32 = 4_874;

/// An error of the driver.
pub(crate) struct SqliteFault {
    /// SQLite's extended result code; `None` if the driver failed.
    code: Option<u32>,
    /// What the driver says.
    why: String,
    /// What SQLite says, or a trigger.
    message: String,
}

impl SqliteFault {
    /// The low byte of the result code.
    pub(super) fn primary_code(&self) -> Option<u32> {
        self.code.map(|code| code & 0xff)
    }
}

impl From<&rusqlite::Error> for SqliteFault {
    fn from(error: &rusqlite::Error) -> Self {
        let code = error.sqlite_error().and_then(|fault| u32::try_from(fault.extended_code).ok());
        let why = error.to_string();
        let message = match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
            _ => String::new(),
        };
        Self { code, why, message }
    }
}

/// Converts an error of SQLite.
pub(crate) fn error(place: DatabaseName, fault: impl Into<SqliteFault>) -> StoreError {
    let fault = fault.into();
    let primary = fault.primary_code();
    let SqliteFault { code, why, .. } = fault;
    if code == Some(SHARED_MEMORY_SIZE) {
        return UnavailableDatabase::Full(place).into();
    }
    match primary {
        Some(READONLY) => UnavailableDatabase::ReadOnly(place).into(),
        Some(BUSY | LOCKED) => UnavailableDatabase::Locked { place, holder: None }.into(),
        Some(CORRUPT) => StoreError::DamagedFile { place, why },
        Some(FULL) => UnavailableDatabase::Full(place).into(),
        Some(NOTADB) => StoreError::NotCountersign { place, why: "it is not a SQLite database".to_owned() },
        _ => UnavailableDatabase::IoError { place, why }.into(),
    }
}

/// Classifies a batch failure. A violated constraint is an error of one command, which the rules in memory should have
/// refused. Any other error fails the batch.
pub(super) fn batch_failure(place: DatabaseName, e: &rusqlite::Error) -> BatchFailure {
    let fault = SqliteFault::from(e);
    if fault.primary_code() == Some(CONSTRAINT) {
        let why = fault.message;
        tracing::error!(why, "the database refused what the rules allowed");
        return BatchFailure::Some(Refused::Invalid { field: "event", why }.into());
    }
    BatchFailure::Whole(error(place, fault))
}

/// Returns true if the error shows that the file is damaged.
pub(super) fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(SqliteFault::from(error).primary_code(), Some(CORRUPT | NOTADB))
}

/// Returns true if another connection holds SQLite's lock.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    SqliteFault::from(error).primary_code() == Some(BUSY)
}
