//! A document in a window: which lines of it are on the screen.

use super::{
    document::{Role, Row},
    inbox::Key,
};

/// The shown document in a window's columns, and how far it was read.
#[derive(Default)]
pub(super) struct Page {
    pub(super) of: Option<(Key, usize)>,
    pub(super) rows: Vec<Row>,
    pub(super) offset: usize,
    pub(super) height: usize,
}

impl Page {
    /// How many lines there are up to the end of the arguments.
    pub(super) fn end_of_arguments(&self) -> usize {
        self.rows.iter().rposition(|row| row.role == Role::Argument).map_or(0, |last| last + 1)
    }

    /// Goes so many lines down, or up, in a window of that height.
    pub(super) fn turn(&mut self, by: isize, height: usize) {
        self.height = height;
        let last = self.rows.len().saturating_sub(height);
        self.offset = self.offset.saturating_add_signed(by).min(last);
    }
}
