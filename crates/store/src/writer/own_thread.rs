//! The thread of a writer whose database blocks it.

use std::thread;
use tokio::runtime::Builder;
use tokio_util::task::TaskTracker;

/// Runs a writer on its own thread, which `tasks` waits for. Its runtime is its own, so that the writer can end after that of its
/// callers has ended.
pub(crate) fn spawn_thread(
    tasks: &TaskTracker,
    writing: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let running = tasks.track_future(writing);
    thread::Builder::new().name("log-writer".to_owned()).spawn(move || runtime.block_on(running))?;
    Ok(())
}
