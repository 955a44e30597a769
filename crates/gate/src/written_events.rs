//! Whether the work of a request has written events. Each of these has its own line in the program's log.

use std::cell::Cell;

tokio::task_local! {
    static HAS_WRITTEN: Cell<bool>;
}

/// Runs `work`, and returns its output, and whether a command in it has written events.
pub async fn watch_written_events<T>(work: impl Future<Output = T>) -> (T, bool) {
    let watched = async {
        let output = work.await;
        (output, HAS_WRITTEN.with(Cell::get))
    };
    HAS_WRITTEN.scope(Cell::new(false), watched).await
}

/// Remembers that the current task has written events.
pub(crate) fn note_written_events() {
    // A background task has no request.
    let _ = HAS_WRITTEN.try_with(|has_written| has_written.set(true));
}
