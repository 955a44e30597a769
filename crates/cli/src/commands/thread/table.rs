//! Threads as a table.

use countersign_api as api;
use countersign_console::{ColumnFit, TableCell, TextStyle, TextTable, escape_text, format_age};
use countersign_events::{Mode, Timestamp};

/// One row for each thread.
pub(super) fn thread_table(threads: &[api::ThreadSummary], now: Timestamp) -> TextTable {
    let mut table = TextTable::new(&[
        ("THREAD", ColumnFit::Truncated),
        ("CALLS", ColumnFit::Number),
        ("PENDING", ColumnFit::Number),
        ("MODE", ColumnFit::Whole),
        ("LAST ACTIVE", ColumnFit::Whole),
        ("STARTED", ColumnFit::Optional),
    ]);
    for thread in threads {
        let pending = if thread.pending > 0 { TextStyle::Yellow } else { TextStyle::Dim };
        let mode = match (thread.closed_at, thread.mode) {
            (Some(_), _) => TableCell::styled(TextStyle::Dim, "closed"),
            (None, Mode::Interactive) => thread.mode.as_str().into(),
            (None, _) => TableCell::styled(TextStyle::Red, thread.mode.as_str()),
        };
        table.add_row([
            escape_text(thread.thread_id.as_str()).into(),
            thread.calls.to_string().into(),
            TableCell::styled(pending, thread.pending.to_string()),
            mode,
            format_age(thread.last_event_at, now).into(),
            format_age(thread.first_event_at, now).into(),
        ]);
    }
    table
}
