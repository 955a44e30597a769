//! A rule that might be suggested.

use super::evidence::AllowedCall;
use countersign_events::ToolName;
use countersign_policy::ScopePattern;
use std::collections::BTreeSet;

/// What a rule would look at besides the tool, from the narrowest kind to the widest.
#[derive(Debug, Clone)]
pub(super) enum CandidateSelector {
    /// Arguments with listed values.
    Listed(ScopePattern),
    /// A command, an address, a path.
    Operand(ScopePattern),
    /// Nothing.
    Tool,
}

impl CandidateSelector {
    pub(super) const fn scope(&self) -> u8 {
        match self {
            Self::Listed(_) => 0,
            Self::Operand(_) => 1,
            Self::Tool => 2,
        }
    }
}

/// A rule that might be suggested.
#[derive(Debug, Clone)]
pub(super) struct CandidateRule {
    pub(super) tool: ToolName,
    pub(super) selects: CandidateSelector,
    /// Which of the allowed calls it meets for sure.
    pub(super) meets: BTreeSet<usize>,
}

impl CandidateSelector {
    /// The selectors besides the tool, as JSON.
    pub(super) fn json(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        match self {
            Self::Listed(pattern) | Self::Operand(pattern) => pattern.json().read().ok(),
            Self::Tool => None,
        }
    }
}

pub(super) fn tool_of(allowed: &[AllowedCall], calls: &[usize]) -> Option<ToolName> {
    Some(allowed[*calls.first()?].looks.tool.clone())
}
