//! SQLite: one file, shared by all processes of a machine.

mod change_listener;
pub(super) mod connection;
mod content_guard;
mod doorbell;
pub(super) mod error;
mod lock_holder;
mod open_file;
mod read_only;
mod read_pool;
mod schema;
mod version;
mod writable;
mod write_lock;
mod write_session;

pub(crate) use connection::FileConnection;
pub(crate) use error::error;
pub use lock_holder::find_lock_holder;
pub use open_file::{DiskSpace, read_disk_space};
pub(crate) use open_file::{cannot_create, check_file_system, check_room};
pub(crate) use read_only::ReadOnlyFile;
pub(crate) use read_pool::SqliteReadPool;
pub(crate) use schema::apply_migrations;
pub use version::sqlite_version;
pub(crate) use writable::WritableFile;

use crate::{StoreAccess, StoreError, StoreOptions, UnavailableDatabase};
use read_only::open_read_only;
use std::path::Path;
use writable::open_writable;

/// An opened file.
pub(crate) enum OpenedFile {
    Writable(Box<WritableFile>),
    ReadOnly(Box<ReadOnlyFile>),
}

/// Opens the file with the access that the options ask for.
pub(crate) async fn open(path: &Path, options: &StoreOptions) -> Result<OpenedFile, StoreError> {
    match options.access {
        StoreAccess::Read => return open_to_read(path, options).await,
        StoreAccess::Write | StoreAccess::WriteIfPossible => {}
    }
    match open_writable(path, options).await {
        Err(
            StoreError::DatabaseUnavailable(UnavailableDatabase::ReadOnly(_) | UnavailableDatabase::Full(_))
            | StoreError::NewerDatabase { .. },
        ) if options.access == StoreAccess::WriteIfPossible => open_to_read(path, options).await,
        opened => Ok(OpenedFile::Writable(Box::new(opened?))),
    }
}

async fn open_to_read(path: &Path, options: &StoreOptions) -> Result<OpenedFile, StoreError> {
    Ok(OpenedFile::ReadOnly(Box::new(open_read_only(path, options).await?)))
}
