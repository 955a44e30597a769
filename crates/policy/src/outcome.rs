//! The outcome of matching a selector with a call.

/// Which way a match works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEffect {
    /// As of an allow: every operand must match, and what cannot be known does not.
    Widen,
    /// As of a block: any operand is enough, and what cannot be known matches.
    Restrict,
}

impl RuleEffect {
    /// What an exception from it does.
    pub(crate) const fn inverse(self) -> Self {
        match self {
            Self::Widen => Self::Restrict,
            Self::Restrict => Self::Widen,
        }
    }
}

/// What a selector says of a call, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SelectorHit {
    /// It holds.
    Yes(String),
    /// It does not.
    No,
    /// A command, an address or a path that cannot be read, or a value that is masked.
    Unclear(String),
    /// A missing or strange value, or a condition that fails: an error, and errors never widen.
    Failed(String),
}
