//! Policy verdicts on calls.

/// The policy verdict on a call, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It may run, and people are not asked.
    Allow,
    /// People decide.
    Ask,
    /// It may not run, and no approver can lift that. A word of a newer version reads as this, because it allows nothing.
    #[serde(other)]
    Block,
}

impl Verdict {
    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}
