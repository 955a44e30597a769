//! Archives: files with the content of closed threads. Each line has what its link in the hash chain covers. A file is
//! complete and on disk before any content leaves the log.

mod compare;
mod erase;
mod plan;
mod read;
mod remove;
mod write;

pub use plan::ArchivePlan;
pub use read::{ArchiveContents, read_archive};

use crate::{DatabaseName, StoreError};
use std::path::Path;

/// The most events whose content leaves the log in one transaction. Other writers wait for it.
pub const EVENTS_AT_ONCE: u64 = 500;

/// The number of events in one read of the log.
const PAGE: usize = 2_000;

/// The error for a file that is not an intact archive of the log.
fn bad_archive(path: &Path, why: impl Into<String>) -> StoreError {
    StoreError::BadArchive { place: DatabaseName::from(path), why: why.into() }
}
