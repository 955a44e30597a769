//! Page sizes.

/// The most items and the most bytes of event data in one page. A page has at least one item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageLimit {
    pub(crate) items: usize,
    pub(crate) bytes: usize,
}

/// The most bytes of event data in one page. A single call's events always have fewer.
pub(crate) const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The column index of `data` in an event row. Its bytes count towards the limit.
pub(crate) const DATA: usize = 5;
