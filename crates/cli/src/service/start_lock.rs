//! The lock under which a service is started or stopped.

use super::files::{ServiceFiles, open_lock_file};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;

/// Waits until no other `up` or `down` is at work on this log. The lock belongs to the open file: a process that inherits it
/// keeps the lock.
pub(crate) async fn lock_start(files: &ServiceFiles) -> anyhow::Result<File> {
    let file = open_lock_file(&files.start_lock())?;
    let locked = tokio::task::spawn_blocking(move || {
        rustix::io::retry_on_intr(|| flock(&file, FlockOperation::LockExclusive)).map(|()| file)
    });
    Ok(locked.await??)
}
