//! The tokens of a glob.

/// One token of a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum GlobToken {
    Char(char),
    /// One character of a set, or one outside of it.
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    /// Any number of any characters.
    Any,
    /// Any number of characters within a segment of a path.
    Segment,
}

impl GlobToken {
    pub(super) fn repeats(&self) -> bool {
        matches!(self, Self::Any | Self::Segment)
    }

    pub(super) fn takes(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated
            }
            Self::Any => true,
            Self::Segment => c != '/',
        }
    }
}
