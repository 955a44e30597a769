//! The document lines that are visible in the window.

use crate::{
    document::{DocumentRow, LineRole},
    inbox::message::InboxCallKey,
};

/// The shown document, laid out for a number of columns, and the scroll position.
#[derive(Default)]
pub(crate) struct DocumentWindow {
    pub(crate) of: Option<(InboxCallKey, usize)>,
    pub(crate) rows: Vec<DocumentRow>,
    pub(crate) offset: usize,
    pub(crate) height: usize,
}

impl DocumentWindow {
    /// The number of lines up to the end of the arguments.
    pub(crate) fn arguments_end(&self) -> usize {
        self.rows.iter().rposition(|row| row.role == LineRole::Argument).map_or(0, |last| last + 1)
    }

    /// Scrolls by a number of lines, in a window of that height.
    pub(crate) fn scroll(&mut self, by: isize, height: usize) {
        self.height = height;
        let last = self.rows.len().saturating_sub(height);
        self.offset = self.offset.saturating_add_signed(by).min(last);
    }
}
