//! The size of a page.

/// The most items and the most bytes of event data in one page. A page has at least one item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageLimit {
    pub(crate) items: usize,
    pub(crate) bytes: usize,
}

/// The most bytes of event data in one page. The events of a single call always have fewer.
pub(crate) const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The index of the column `data` in a row of an event. Its bytes count towards the limit.
pub(crate) const DATA: usize = 5;
