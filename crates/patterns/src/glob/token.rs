//! Glob tokens.

/// One token of a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GlobToken {
    Char(char),
    /// One character in the set, or outside of it if `negated`.
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// Any number of characters.
    Any,
    /// Any number of characters other than `/`.
    Segment,
}

impl GlobToken {
    pub(crate) fn repeats(&self) -> bool {
        matches!(self, Self::Any | Self::Segment)
    }

    pub(crate) fn matches(&self, c: char) -> bool {
        match self {
            Self::Char(expected) => *expected == c,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated
            }
            Self::Any => true,
            Self::Segment => c != '/',
        }
    }
}
