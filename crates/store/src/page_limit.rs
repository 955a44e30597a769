//! The size of a page.

/// The most items and the most bytes of event data in one page. A page has at least one item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageLimit {
    pub(crate) items: usize,
    pub(crate) bytes: usize,
}
