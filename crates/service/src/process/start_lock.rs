//! The lock under which a service is started or stopped.

use super::files::{ServiceFiles, open_lock_file};
use countersign_console::wait_for_lock;
use countersign_console::{CliError, CommandExit};
use std::{fs::File, time::Duration};

/// The longest wait for another start or stop, which takes at most half of it.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Waits until no other `up` or `down` is at work on this log. The lock belongs to the open file: a process that inherits it
/// keeps the lock. Fails with `locked` if another process holds it for too long.
pub(crate) async fn lock_start(files: &ServiceFiles) -> anyhow::Result<File> {
    lock_start_within(files, LONGEST_WAIT).await
}

async fn lock_start_within(files: &ServiceFiles, longest: Duration) -> anyhow::Result<File> {
    let path = files.start_lock();
    let file = open_lock_file(&path)?;
    if wait_for_lock(&file, longest).await? {
        return Ok(file);
    }
    let message = format!(
        "another `up` or `down` has been at work on this log for more than {} s; a stopped process may hold its lock: find it \
         with `fuser {}`, and let it continue or end it",
        longest.as_secs(),
        path.display()
    );
    Err(CliError { exit: CommandExit::UNAVAILABLE, code: "locked", message }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn wait_for_another_start_has_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = ServiceFiles { folder: folder.path().to_owned(), log: "log.db".to_owned() };
        let held = lock_start_within(&files, Duration::ZERO).await.expect("free");
        let refused =
            lock_start_within(&files, Duration::from_millis(1)).await.expect_err("held").to_string();
        assert!(refused.contains("let it continue or end it"), "{refused}");
        drop(held);
        lock_start_within(&files, Duration::ZERO).await.expect("free again");
    }
}
