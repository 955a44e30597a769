//! The meaning of SQLite's errors, by result code (<https://sqlite.org/rescode.html>).

use crate::{DatabaseName, StoreError, UnavailableDatabase, database::BatchFailure};
use countersign_approvals::Refused;

const READONLY: u32 = 8;
pub(super) const BUSY: u32 = 5;
const LOCKED: u32 = 6;
const CORRUPT: u32 = 11;
const FULL: u32 = 13;
const CONSTRAINT: u32 = 19;
/// The row has the `seq` of another one (`SQLITE_CONSTRAINT_PRIMARYKEY`).
const TAKEN_KEY: u32 = 1_555;
const NOTADB: u32 = 26;
/// The shared memory beside the file cannot grow (`SQLITE_IOERR_SHMSIZE`), because the disk is full.
const SHARED_MEMORY_SIZE: u32 = 4_874;

/// Converts an error of SQLite.
pub(crate) fn error(place: DatabaseName, error: &sqlx::Error) -> StoreError {
    let why = error.to_string();
    if result_code(error) == Some(SHARED_MEMORY_SIZE) {
        return UnavailableDatabase::Full(place).into();
    }
    match primary_code(error) {
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
pub(super) fn batch_failure(place: DatabaseName, e: &sqlx::Error) -> BatchFailure {
    if primary_code(e) == Some(CONSTRAINT) {
        let why = e.as_database_error().map(|e| e.message().to_owned()).unwrap_or_default();
        tracing::error!(why, "the database refused what the rules allowed");
        return BatchFailure::Some(Refused::Invalid { field: "event", why }.into());
    }
    BatchFailure::Whole(error(place, e))
}

/// Returns true if another row has the inserted row's `seq`: the log has grown since the writer read its end.
pub(super) fn is_taken(error: &sqlx::Error) -> bool {
    result_code(error) == Some(TAKEN_KEY)
}

/// Returns true if the error shows that the file is damaged.
pub(super) fn is_damaged(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(CORRUPT | NOTADB))
}

/// The low byte of SQLite's extended result code.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<u32> {
    result_code(error).map(|code| code & 0xff)
}

/// SQLite's extended result code.
fn result_code(error: &sqlx::Error) -> Option<u32> {
    error.as_database_error()?.code()?.parse().ok()
}
