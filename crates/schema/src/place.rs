//! Where a value is in a document.

use std::fmt;

/// The path from the root to a value. It is built on the stack, because most paths are never printed.
#[derive(Clone, Copy)]
pub(crate) enum ValuePlace<'a> {
    Root,
    Member(&'a ValuePlace<'a>, &'a str),
    Element(&'a ValuePlace<'a>, usize),
}

impl fmt::Display for ValuePlace<'_> {
    /// Prints a JSON pointer (RFC 6901).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(parent, name) => {
                write!(f, "{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
            }
            Self::Element(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}
