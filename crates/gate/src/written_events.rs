//! Whether the work of a request has written events. Each of these has its own line in the program's log.

use std::{cell::Cell, pin::Pin};
use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static HAS_WRITTEN: Cell<bool>;
}

/// Work of which [`has_written_events`] tells if a command in it has written events.
pub type WatchedWork<F> = TaskLocalFuture<Cell<bool>, F>;

/// Watches `work`. It is no `async fn`, which would keep room for the work twice as long as a client waits.
pub fn watch_written_events<F: Future>(work: F) -> WatchedWork<F> {
    HAS_WRITTEN.scope(Cell::new(false), work)
}

/// Returns true if a command in the work, which has ended, has written events.
#[must_use]
pub fn has_written_events<F>(watched: Pin<&mut WatchedWork<F>>) -> bool {
    watched.take_value().is_some_and(|has_written| has_written.get())
}

/// Remembers that the current task has written events.
pub(crate) fn note_written_events() {
    // A background task has no request.
    let _ = HAS_WRITTEN.try_with(|has_written| has_written.set(true));
}
