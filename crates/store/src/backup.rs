//! Backs up a file: a complete copy of a log in use, which is verified before it gets its name.

use crate::{
    DatabaseName, DatabaseUrl, Store, StoreAccess, StoreError, StoreOptions, VerifyReport,
    database::{SqlQuery, sqlite::cannot_create},
};
use std::{
    fs::{self, File, OpenOptions},
    io::ErrorKind,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// The result of a backup.
#[derive(Debug, Clone)]
pub struct BackupSummary {
    /// The name of the log.
    pub from: DatabaseName,
    /// The name of the copy.
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
    Ok(BackupSummary { from: source.database_name(), to: to.as_path().into(), report: copied? })
}

async fn copy_file(source: &Store, to: &Path, progress: impl FnMut(i64)) -> Result<VerifyReport, StoreError> {
    let part = PartialFile::create(to)?;
    // SQLite copies one snapshot and blocks no writer. The path is absolute, so SQLite does not take it for a URI.
    source.query_rows("backup", SqlQuery::new("VACUUM INTO $1").bind(part.text()?)).await?;
    let options = StoreOptions { access: StoreAccess::Read, ..StoreOptions::for_reading() };
    let copy = Store::open(DatabaseUrl::File(part.path.clone()), options).await?;
    let report = copy.verify(progress).await;
    copy.close().await;
    let report = report?;
    part.keep(to)?;
    Ok(report)
}

/// The copy under a temporary name. It is removed when it is dropped.
struct PartialFile {
    path: PathBuf,
}

impl PartialFile {
    fn create(to: &Path) -> Result<Self, StoreError> {
        let mut name = to.to_path_buf().into_os_string();
        name.push(format!(".{}.partial", std::process::id()));
        let path = PathBuf::from(name);
        let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        created.map(|_| Self { path: path.clone() }).map_err(|e| cannot_create(to, &e))
    }

    fn text(&self) -> Result<String, StoreError> {
        let text = self.path.to_str().map(str::to_owned);
        text.ok_or_else(|| StoreError::BadAddress {
            why: "the path of a backup must be valid UTF-8".to_owned(),
        })
    }

    /// Syncs the file and gives it its name, if no other file has that name by now.
    fn keep(self, to: &Path) -> Result<(), StoreError> {
        let failed = |e| cannot_create(to, &e);
        File::open(&self.path).and_then(|file| file.sync_all()).map_err(failed)?;
        match fs::hard_link(&self.path, to) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                return Err(StoreError::TargetExists { place: to.into() });
            }
            // Some file systems have no hard links.
            Err(_) => fs::rename(&self.path, to).map_err(failed)?,
        }
        let folder = to.parent().unwrap_or(Path::new("/"));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
