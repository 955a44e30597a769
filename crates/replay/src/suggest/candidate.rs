//! A candidate for a suggested rule.

use super::evidence::AllowedCall;
use countersign_events::ToolName;
use countersign_policy::ScopePattern;
use std::collections::BTreeSet;

/// The conditions of a candidate rule besides the tool, from the narrowest kind to the widest.
#[derive(Debug, Clone)]
pub(super) enum CandidateSelector {
    /// Listed values of arguments.
    Listed(ScopePattern),
    /// A pattern for a command, a URL or a path.
    Operand(ScopePattern),
    /// No condition besides the tool.
    Tool,
}

impl CandidateSelector {
    pub(super) const fn breadth(&self) -> u8 {
        match self {
            Self::Listed(_) => 0,
            Self::Operand(_) => 1,
            Self::Tool => 2,
        }
    }
}

/// A candidate for a suggested rule.
#[derive(Debug, Clone)]
pub(super) struct CandidateRule {
    pub(super) tool: ToolName,
    pub(super) selector: CandidateSelector,
    /// The indices of allowed calls that the rule certainly matches.
    pub(super) matched: BTreeSet<usize>,
}

impl CandidateSelector {
    /// The conditions besides the tool, as JSON.
    pub(super) fn to_json(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        match self {
            Self::Listed(pattern) | Self::Operand(pattern) => pattern.json().read().ok(),
            Self::Tool => None,
        }
    }
}

pub(super) fn tool_of(allowed: &[AllowedCall], calls: &[usize]) -> Option<ToolName> {
    Some(allowed[*calls.first()?].call.tool.clone())
}
