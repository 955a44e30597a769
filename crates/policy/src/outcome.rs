//! The outcome of matching a selector with a call.

/// How a match affects the verdict, which decides how unknown values count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEffect {
    /// A match allows more: every operand must match, and an unknown value does not match.
    Widen,
    /// A match allows less: one operand is enough, and an unknown value matches.
    Restrict,
}

impl RuleEffect {
    /// The effect that exceptions to a rule with this effect have.
    pub(crate) const fn inverse(self) -> Self {
        match self {
            Self::Widen => Self::Restrict,
            Self::Restrict => Self::Widen,
        }
    }
}

/// The result of matching a selector with a call, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SelectorHit {
    /// The selector matches.
    Yes(String),
    /// The selector does not match.
    No,
    /// Unknown: a command, URL or path cannot be read, or a value is masked.
    Unclear(String),
    /// An error: a value is missing or has another type, or a condition fails. Errors never allow more.
    Failed(String),
}
