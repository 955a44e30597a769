//! The doorbell: a small file beside the database that each writer writes after a commit and each feed watches.

use super::write_lock::cannot_open;
use crate::{StoreError, clock::machine_sleep};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher, event::ModifyKind};
use std::{
    ffi::OsString,
    fs::{File, OpenOptions, TryLockError},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::Notify;

/// The pause between two attempts to take a lock.
const LOCK_INTERVAL: Duration = Duration::from_millis(20);

pub(crate) struct DoorbellFile {
    file: Arc<File>,
    path: PathBuf,
    /// The log's end as this process last wrote it.
    own_tip: Arc<AtomicI64>,
}

impl DoorbellFile {
    /// Opens or creates the doorbell for the database at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let mut name = OsString::from(path);
        name.push("-bell");
        let path = PathBuf::from(name);
        let file = open_file(&path).map_err(|e| cannot_open(&path, &e))?;
        Ok(Self { file: Arc::new(file), path, own_tip: Arc::default() })
    }

    /// Writes the log's end to the file. A failure does not fail the commit: the slow poll finds the events.
    pub(crate) fn ring(&self, tip: i64) {
        self.own_tip.store(tip, Ordering::Relaxed);
        if let Err(error) = self.file.write_at(&tip.to_be_bytes(), 0) {
            tracing::warn!(%error, "the doorbell file cannot be written; other processes find new events by their poll");
        }
    }

    /// The log's end as the last writer wrote it. It is a hint that saves a query; plain SQL writers leave none.
    pub(crate) fn last_tip(&self) -> Option<i64> {
        read_tip(&self.file)
    }

    /// Marks the log as used by this process, until the doorbell is closed. While another process migrates the log, it waits until
    /// `deadline`. Returns false if that process still does.
    pub(crate) async fn mark_in_use(&self, deadline: Instant) -> bool {
        wait_for(|| self.file.try_lock_shared(), deadline).await
    }

    /// Takes the mark away.
    pub(crate) fn mark_unused(&self) {
        // Closing the file does it too.
        let _ = self.file.unlock();
    }

    /// Keeps other processes from using the log until this one marks it as in use or unused. Those that start at this moment are
    /// done with it before `deadline`. Returns false if others use it.
    pub(crate) async fn exclude_others(&self, deadline: Instant) -> bool {
        wait_for(|| self.file.try_lock(), deadline).await
    }

    /// Returns true if the file still exists at its path.
    pub(crate) fn is_there(&self) -> bool {
        self.path.exists()
    }

    /// Notifies `wakeup` at each write of another process, while the watcher lives. If another process and then this one
    /// write within a moment, it may miss the first: the feed then notices the gap before the events of this process.
    pub(crate) fn listen(&self, wakeup: Arc<Notify>) -> Option<RecommendedWatcher> {
        // A watch needs a file, so create a removed file again. A writer that has the old file open then rings without
        // effect, and its events arrive by polling.
        if !self.is_there() {
            let _ = open_file(&self.path);
        }
        let (file, own_tip) = (Arc::clone(&self.file), Arc::clone(&self.own_tip));
        let on_event = move |event: notify::Result<notify::Event>| {
            let is_write = !matches!(
                event.map(|event| event.kind),
                Ok(EventKind::Modify(ModifyKind::Metadata(_)) | EventKind::Access(_))
            );
            if is_write && read_tip(&file) != Some(own_tip.load(Ordering::Relaxed)) {
                wakeup.notify_one();
            }
        };
        let watching = notify::recommended_watcher(on_event)
            .and_then(|mut watcher| watcher.watch(&self.path, RecursiveMode::NonRecursive).map(|()| watcher));
        watching
            .inspect_err(|error| tracing::warn!(%error, "the doorbell file cannot be watched; events of other processes arrive by the poll"))
            .ok()
    }
}

/// Waits until a lock is taken. A file system without locks has no marks.
async fn wait_for(lock: impl Fn() -> Result<(), TryLockError>, deadline: Instant) -> bool {
    loop {
        match lock() {
            Ok(()) | Err(TryLockError::Error(_)) => return true,
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return false,
            Err(TryLockError::WouldBlock) => machine_sleep(LOCK_INTERVAL).await,
        }
    }
}

fn read_tip(file: &File) -> Option<i64> {
    let mut tip = [0; 8];
    file.read_exact_at(&mut tip, 0).ok().map(|()| i64::from_be_bytes(tip))
}

fn open_file(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}
