//! The doorbell: a small file beside the database that every writer of ours touches after a commit and
//! every feed watches. It is also the turnstile before the write lock, so that processes of ours wait
//! for one another in a queue of the kernel's, not by asking SQLite again and again.

use crate::{StoreError, UnavailableDatabase};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher, event::ModifyKind};
use std::{
    ffi::OsString,
    fs::{File, OpenOptions, TryLockError},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::Notify;

pub(crate) struct DoorbellFile {
    file: Arc<File>,
    path: PathBuf,
}

/// Keeps other writers of ours out until it is dropped.
pub(crate) struct WriteLock {
    file: Arc<File>,
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        // Closing the file would let go as well, so a failure here only delays the next writer.
        let _ = self.file.unlock();
    }
}

impl DoorbellFile {
    /// Finds or makes the bell of the database at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let mut name = OsString::from(path);
        name.push("-bell");
        let path = PathBuf::from(name);
        match open_file(&path) {
            Ok(file) => Ok(Self { file: Arc::new(file), path }),
            Err(e) if e.kind() == std::io::ErrorKind::StorageFull => {
                Err(UnavailableDatabase::Full(path.as_path().into()).into())
            }
            Err(_) => Err(UnavailableDatabase::ReadOnly(path.as_path().into()).into()),
        }
    }

    /// Rings, and leaves the end of the log in the file. A failure is no reason to fail what was
    /// committed: the slow poll finds it.
    pub(crate) fn ring(&self, tip: i64) {
        if let Err(error) = self.file.write_at(&tip.to_be_bytes(), 0) {
            tracing::warn!(%error, "the doorbell cannot be rung; other processes wake by their poll");
        }
    }

    /// The end of the log that the last writer left. A hint that saves a look at the table; whoever
    /// writes by hand leaves none.
    pub(crate) fn last_tip(&self) -> Option<i64> {
        let mut tip = [0; 8];
        self.file.read_exact_at(&mut tip, 0).ok().map(|()| i64::from_be_bytes(tip))
    }

    /// Waits until no other writer of ours is at it. If the file system has no locks, goes on without:
    /// the turnstile only saves waiting, SQLite's own lock is what keeps writers apart.
    pub(crate) async fn acquire_write_lock(&self) -> WriteLock {
        if matches!(self.file.try_lock(), Err(TryLockError::WouldBlock)) {
            let file = Arc::clone(&self.file);
            let _ = tokio::task::spawn_blocking(move || file.lock()).await;
        }
        WriteLock { file: Arc::clone(&self.file) }
    }

    /// Whether the bell still hangs where other processes find it.
    pub(crate) fn is_there(&self) -> bool {
        self.path.exists()
    }

    /// Wakes `ear` at every ring, for as long as the watcher is kept.
    pub(crate) fn listen(&self, wakeup: Arc<Notify>) -> Option<RecommendedWatcher> {
        // Made anew if somebody removed it, so that the watch has something to stand on. A writer with
        // the old file open then rings where nobody hears, and its events arrive by the poll.
        if !self.is_there() {
            let _ = open_file(&self.path);
        }
        let heard = move |event: notify::Result<notify::Event>| {
            if !matches!(
                event.map(|event| event.kind),
                Ok(EventKind::Modify(ModifyKind::Metadata(_)) | EventKind::Access(_))
            ) {
                wakeup.notify_one();
            }
        };
        let watching = notify::recommended_watcher(heard)
            .and_then(|mut watcher| watcher.watch(&self.path, RecursiveMode::NonRecursive).map(|()| watcher));
        watching
            .inspect_err(|error| tracing::warn!(%error, "the doorbell cannot be heard; events of other processes arrive by the poll"))
            .ok()
    }
}

fn open_file(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}
