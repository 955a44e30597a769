//! The lock file beside the database, which queues the writers in the kernel, so that they do not poll SQLite's lock.
//! Its content names the process that holds it. A wait for it has a limit: a process may be stopped inside its
//! transaction.

use super::lock_holder::{HolderRecord, find_lock_holder, lock_path};
use crate::{StoreError, UnavailableDatabase, clock::machine_sleep};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::ErrorKind,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};
use tokio::sync::oneshot;

/// The lock file, which is open while the log is.
pub(crate) struct WriteLockFile {
    file: Arc<File>,
    database: PathBuf,
    queue: Arc<Mutex<QueuedWait>>,
}

/// This process's position in the kernel queue. A wait for a file lock cannot be cancelled, so the thread that waits
/// outlives the caller that gave up, and serves the next one. There is at most one such thread.
#[derive(Default)]
struct QueuedWait {
    has_thread: bool,
    caller: Option<oneshot::Sender<WriteLock>>,
}

/// Blocks other Countersign writers until it is dropped.
pub(crate) struct WriteLock {
    file: Arc<File>,
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        // Closing the file releases the lock too, so a failure here only delays the next writer.
        let _ = self.file.unlock();
    }
}

impl WriteLockFile {
    /// Opens or creates the lock file of the database at `database`.
    pub(crate) fn open(database: &Path) -> Result<Self, StoreError> {
        let file = open_lock_file(database).map_err(|e| cannot_open(&lock_path(database), &e))?;
        Ok(Self { file: Arc::new(file), database: database.to_owned(), queue: Arc::default() })
    }

    /// Waits until no other Countersign writer holds the lock, and at most until `deadline`. If the file system does not
    /// support locks, it continues without one: this lock only shortens waits, and SQLite's own lock separates the
    /// writers.
    pub(crate) async fn acquire(&self, deadline: Instant) -> Result<WriteLock, StoreError> {
        let lock = match self.file.try_lock() {
            Err(TryLockError::WouldBlock) => self.wait_in_queue(deadline).await?,
            Ok(()) | Err(TryLockError::Error(_)) => WriteLock { file: Arc::clone(&self.file) },
        };
        // Only other processes read it, in order to say who holds the lock.
        let _ = lock.file.write_at(&HolderRecord::of_this_process().to_bytes(), 0);
        Ok(lock)
    }

    async fn wait_in_queue(&self, deadline: Instant) -> Result<WriteLock, StoreError> {
        let (caller, locked) = oneshot::channel();
        let has_thread = {
            let mut queue = lock_queue(&self.queue);
            queue.caller = Some(caller);
            std::mem::replace(&mut queue.has_thread, true)
        };
        if !has_thread {
            let (database, queue) = (self.database.clone(), Arc::clone(&self.queue));
            let waiting = move || wait_for_lock(&database, &queue);
            if thread::Builder::new().name("write-lock".to_owned()).spawn(waiting).is_err() {
                lock_queue(&self.queue).has_thread = false;
            }
        }
        tokio::select! {
            biased;
            lock = locked => lock.map_err(|_| self.locked()),
            () = machine_sleep(deadline.saturating_duration_since(Instant::now())) => Err(self.locked()),
        }
    }

    /// The error for a wait that reached its limit.
    pub(crate) fn locked(&self) -> StoreError {
        let place = self.database.as_path().into();
        UnavailableDatabase::Locked { place, holder: find_lock_holder(&self.database) }.into()
    }
}

/// Waits in the kernel's queue, and gives the lock to the caller that waits then. If there is none, it is released.
fn wait_for_lock(database: &Path, queue: &Mutex<QueuedWait>) {
    // A separate open file: locks that one process has on the same open file do not exclude each other.
    let locked = open_lock_file(database).and_then(|file| file.lock().map(|()| file));
    let mut queue = lock_queue(queue);
    queue.has_thread = false;
    if let (Ok(file), Some(caller)) = (locked, queue.caller.take()) {
        drop(caller.send(WriteLock { file: Arc::new(file) }));
    }
}

fn lock_queue(queue: &Mutex<QueuedWait>) -> MutexGuard<'_, QueuedWait> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open_lock_file(database: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).open(lock_path(database))
}

/// The error for a companion file that cannot be opened.
pub(super) fn cannot_open(path: &Path, error: &std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::StorageFull => UnavailableDatabase::Full(path.into()).into(),
        _ => UnavailableDatabase::ReadOnly(path.into()).into(),
    }
}
