//! Waiting for a lock that another process holds.

use std::{
    fs::{File, TryLockError},
    io,
    time::Duration,
};
use tokio::time::Instant;

/// The time between two attempts to take a lock.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);

/// Waits for a lock, for at most this time. Returns false if another process holds it for longer: it may be stopped.
#[expect(clippy::disallowed_methods, reason = "it waits for another process, not for the log's time")]
pub async fn wait_for_lock(file: &File, longest: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + longest;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::Error(why)) => return Err(why),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                tokio::time::sleep(BETWEEN_ATTEMPTS).await;
            }
            Err(TryLockError::WouldBlock) => return Ok(false),
        }
    }
}
