//! Results that are limited in bytes.

use super::SqlRow;

/// The first rows of a result that is limited in bytes.
pub(crate) struct BoundedRows<T> {
    pub(crate) rows: Vec<T>,
    /// Whether the limit left out further rows.
    pub(crate) cut: bool,
}

/// Admits rows until one column of them has more bytes than the limit, and at least one row.
pub(super) struct ByteLimit {
    column: usize,
    /// The bytes that are left; `None` before the first row.
    left: Option<usize>,
    most: usize,
    is_exceeded: bool,
}

impl ByteLimit {
    /// Limits the column with this index to `most` bytes.
    pub(super) const fn new(column: usize, most: usize) -> Self {
        Self { column, left: None, most, is_exceeded: false }
    }

    /// Returns true if the row belongs to the result. After the first false, the result has ended.
    pub(super) fn admits(&mut self, row: &SqlRow) -> bool {
        let bytes = row.bytes(self.column).ok().flatten().map_or(0, <[u8]>::len);
        self.left = match self.left {
            None => Some(self.most.saturating_sub(bytes)),
            Some(left) => {
                self.is_exceeded = bytes > left;
                Some(left.saturating_sub(bytes))
            }
        };
        !self.is_exceeded
    }

    /// Returns true if a row was left out.
    pub(super) const fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }
}
