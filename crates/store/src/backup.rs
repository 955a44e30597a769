//! Backs up a file: a complete copy of a log in use, which is verified before it gets its name.

use crate::{
    DatabaseName, DatabaseUrl, Store, StoreAccess, StoreError, StoreOptions, UnavailableDatabase,
    VerifyReport,
    database::{SqlQuery, sqlite::cannot_create},
    partial_file::PartialFile,
};
use std::path::Path;

/// A backup result.
#[derive(Debug, Clone)]
pub struct BackupSummary {
    /// The log's name.
    pub from: DatabaseName,
    /// The copy's name.
    pub to: DatabaseName,
    /// The findings about the copy.
    pub report: VerifyReport,
}

/// Copies the log in the file `from` into the new file `to`, while processes may write to it, and verifies the copy.
/// The copy has all events up to one moment and needs no other file. `progress` receives the number of events that were
/// verified.
///
/// Fails with [`StoreError::TargetExists`], or an error of opening, reading or writing a file. A failed backup leaves no
/// file. If the report has findings, the log itself has them, and the copy is kept.
pub async fn backup(from: &Path, to: &Path, progress: impl FnMut(i64)) -> Result<BackupSummary, StoreError> {
    let to = std::path::absolute(to).map_err(|e| cannot_create(to, &e))?;
    if to.symlink_metadata().is_ok() {
        return Err(StoreError::TargetExists { place: to.as_path().into() });
    }
    let source = Store::open(from, StoreOptions::for_reading()).await?;
    let copied = copy_file(&source, &to, progress).await;
    source.close().await;
    let (part, report) = copied?;
    part.keep()?;
    Ok(BackupSummary { from: source.database_name(), to: to.as_path().into(), report })
}

/// Copies a log into a file that does not have its name yet, and verifies the copy.
pub(crate) async fn copy_file(
    source: &Store,
    to: &Path,
    progress: impl FnMut(i64),
) -> Result<(PartialFile, VerifyReport), StoreError> {
    let part = PartialFile::create(to)?;
    // SQLite copies one snapshot and blocks no writer. The path is absolute, so SQLite does not take it for a URI.
    let copied = source.query_rows("backup", SqlQuery::new("VACUUM INTO $1").bind(part.text()?)).await;
    copied.map_err(|error| match error {
        // SQLite does not say which of the two disks is full, and only the copy is written.
        StoreError::DatabaseUnavailable(UnavailableDatabase::Full(_)) => {
            UnavailableDatabase::Full(to.into()).into()
        }
        other => other,
    })?;
    let options = StoreOptions { access: StoreAccess::Read, ..StoreOptions::for_reading() };
    let copy = Store::open(DatabaseUrl::File(part.path().to_owned()), options).await?;
    let report = copy.verify(progress).await;
    copy.close().await;
    Ok((part, report?))
}
