//! Restores a backup: its verified copy replaces a log that no process uses.

use crate::{
    CheckpointMismatch, DatabaseName, DatabaseUrl, Store, StoreAccess, StoreError, StoreOptions,
    VerifyReport,
    backup::copy_file,
    database::sqlite::{cannot_create, check_file_system},
    partial_file::PartialFile,
};
use countersign_events::chain::Checkpoint;
use rustix::fs::{FlockOperation, fcntl_lock};
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// The files of SQLite and Countersign beside a log.
const BESIDE: [&str; 4] = ["-wal", "-shm", "-bell", "-lock"];

/// What a restore may do.
#[derive(Debug, Clone, Copy, Default)]
pub struct RestoreOptions {
    /// Whether to replace an existing log. It is kept under another name.
    pub replace: bool,
    /// An event that the backup should have.
    pub checkpoint: Option<Checkpoint>,
    /// Whether to restore a backup that ends before the checkpoint.
    pub accept_loss: bool,
}

/// The result of a restore.
#[derive(Debug, Clone)]
pub struct RestoreSummary {
    /// The backup's name.
    pub from: DatabaseName,
    /// The log's name.
    pub to: DatabaseName,
    /// The findings about the restored log.
    pub report: VerifyReport,
    /// The log that was there before.
    pub replaced: Option<ReplacedLog>,
    /// The number of events between the backup's end and the checkpoint.
    pub behind_checkpoint: i64,
}

/// A log that a restore has replaced.
#[derive(Debug, Clone)]
pub struct ReplacedLog {
    /// Its name now.
    pub kept_as: PathBuf,
    /// The number of its events that the backup does not have; `None` if it could not be read, or is another log.
    pub lost: Option<i64>,
}

/// Restores the backup `from` as the log `to`. It copies the backup, verifies the copy, and replaces the log in one
/// step; before that, the log does not change. `progress` receives the number of events that were verified.
///
/// Fails with [`StoreError::BadBackup`] if the backup does not verify, with [`StoreError::BackupTooOld`] if it ends before the
/// checkpoint, with [`StoreError::LogExists`] if there is a log and it may not be replaced, with
/// [`StoreError::FileInTheWay`], with [`StoreError::InUse`] if
/// a process has it open, and with an error of reading or writing a file.
pub async fn restore(
    from: &Path,
    to: &Path,
    options: RestoreOptions,
    progress: impl FnMut(i64),
) -> Result<RestoreSummary, StoreError> {
    let to = std::path::absolute(to).map_err(|e| cannot_create(to, &e))?;
    check_file_system(&to)?;
    let target = RestoreTarget::find(&to, options.replace)?;
    let read = StoreOptions { access: StoreAccess::Read, ..StoreOptions::for_reading() };
    if !from.exists() {
        return Err(StoreError::BadBackup { place: from.into(), why: "there is no such file".to_owned() });
    }
    let source = Store::open(from, read.clone()).await?;
    let copied = copy_file(&source, &to, progress).await;
    source.close().await;
    let (part, report) = copied?;
    if !report.holds() {
        let why = report.broken.map_or_else(
            || "`countersign verify` names rows that the rules would not have written".to_owned(),
            |broken| broken.to_string(),
        );
        return Err(StoreError::BadBackup { place: source.database_name(), why });
    }
    let behind_checkpoint = check_checkpoint(&part, &options, &source.database_name()).await?;
    let tip = Checkpoint { seq: report.events, hash: report.tip };
    let replaced = if target.exists {
        let lost = events_after(&to, tip, read).await;
        Some(ReplacedLog { kept_as: target.beside(".replaced"), lost })
    } else {
        None
    };
    target.put(part)?;
    let (from, to) = (source.database_name(), to.as_path().into());
    Ok(RestoreSummary { from, to, report, replaced, behind_checkpoint })
}

/// The number of events between the copy's end and the checkpoint.
async fn check_checkpoint(
    part: &PartialFile,
    options: &RestoreOptions,
    from: &DatabaseName,
) -> Result<i64, StoreError> {
    let Some(checkpoint) = options.checkpoint else { return Ok(0) };
    let read = StoreOptions { access: StoreAccess::Read, ..StoreOptions::for_reading() };
    let copy = Store::open(DatabaseUrl::File(part.path().to_owned()), read).await?;
    let compared = copy.verify_from(checkpoint, |_| {}).await;
    copy.close().await;
    match compared?.mismatch {
        None => Ok(0),
        Some(CheckpointMismatch::LogTooShort { tip }) if options.accept_loss => Ok(checkpoint.seq - tip),
        Some(CheckpointMismatch::LogTooShort { tip }) => {
            Err(StoreError::BackupTooOld { place: from.clone(), tip, checkpoint: checkpoint.seq })
        }
        Some(other) => Err(StoreError::BadBackup { place: from.clone(), why: other.to_string() }),
    }
}

/// The number of events of a log after a checkpoint. A log that needs a restore may be damaged.
async fn events_after(log: &Path, checkpoint: Checkpoint, read: StoreOptions) -> Option<i64> {
    let log = Store::open(log, read).await.ok()?;
    let compared = log.verify_from(checkpoint, |_| {}).await;
    log.close().await;
    let compared = compared.ok()?;
    compared.mismatch.is_none().then_some(compared.tip.seq - checkpoint.seq)
}

/// Where to restore the log.
struct RestoreTarget {
    path: PathBuf,
    exists: bool,
}

impl RestoreTarget {
    /// Fails if there is a log that may not be replaced, or a file that would pass for a companion of the new one.
    fn find(path: &Path, replace: bool) -> Result<Self, StoreError> {
        let exists = path.symlink_metadata().is_ok();
        let target = Self { path: path.to_owned(), exists };
        if exists && !replace {
            return Err(StoreError::LogExists(path.into()));
        }
        let kept = target.beside(".replaced");
        let in_the_way = if exists { kept } else { target.beside("-wal") };
        if in_the_way.symlink_metadata().is_ok() && !(exists && target.is_same_file(&in_the_way)) {
            return Err(StoreError::FileInTheWay(in_the_way.as_path().into()));
        }
        Ok(target)
    }

    /// Returns true if the file is the log under another name: a restore was killed after it had kept the log.
    fn is_same_file(&self, other: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
        identity(&self.path) == identity(other)
    }

    /// A name that starts with the log's name.
    fn beside(&self, end: &str) -> PathBuf {
        let mut name: OsString = self.path.clone().into_os_string();
        name.push(end);
        name.into()
    }

    /// Replaces the log with the copy. The lock on the old file excludes every process that uses SQLite. A process that
    /// opens the log meanwhile finds at its first write that its file is gone.
    fn put(self, part: PartialFile) -> Result<(), StoreError> {
        if !self.exists {
            return part.keep();
        }
        let failed = |e: std::io::Error| cannot_create(&self.path, &e);
        let old = OpenOptions::new().read(true).write(true).open(&self.path).map_err(failed)?;
        if let Err(error) = fcntl_lock(&old, FlockOperation::NonBlockingLockExclusive) {
            let error = std::io::Error::from(error);
            return match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::PermissionDenied => {
                    Err(StoreError::InUse(self.path.as_path().into()))
                }
                _ => Err(failed(error)),
            };
        }
        // The old log keeps its last events, which may be in its write-ahead log, under its other name. The new file must not
        // meet that write-ahead log: SQLite would write its pages into it.
        for end in ["", "-wal"] {
            link_if_there(&self.beside(end), &self.beside(&format!(".replaced{end}"))).map_err(failed)?;
        }
        sync_folder(&self.path).map_err(failed)?;
        for end in BESIDE {
            let _ = fs::remove_file(self.beside(end));
        }
        part.replace()
    }
}

fn link_if_there(file: &Path, name: &Path) -> std::io::Result<()> {
    match fs::hard_link(file, name) {
        Err(e) if !matches!(e.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => Err(e),
        _ => Ok(()),
    }
}

fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    File::open(folder)?.sync_all()
}
