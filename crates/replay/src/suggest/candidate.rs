//! A candidate for a suggested rule.

use super::evidence::AllowedCall;
use countersign_events::ToolName;
use countersign_policy::ScopePattern;
use std::collections::BTreeSet;

/// A candidate rule's conditions besides the tool, from the narrowest kind to the widest.
#[derive(Debug, Clone)]
pub(super) enum CandidateSelector {
    /// Listed values of arguments.
    Listed(ScopePattern),
    /// The exact commands or paths that were allowed.
    Exact(ScopePattern),
    /// A pattern for a command, a URL or a path, with the exception from it.
    Wildcard { pattern: ScopePattern, unless: Option<ScopePattern> },
    /// No condition besides the tool.
    Tool,
}

impl CandidateSelector {
    pub(super) const fn breadth(&self) -> u8 {
        match self {
            Self::Listed(_) => 0,
            Self::Exact(_) => 1,
            Self::Wildcard { .. } => 2,
            Self::Tool => 3,
        }
    }

    pub(super) const fn pattern(&self) -> Option<&ScopePattern> {
        match self {
            Self::Listed(pattern) | Self::Exact(pattern) | Self::Wildcard { pattern, .. } => Some(pattern),
            Self::Tool => None,
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
        let mut selectors: serde_json::Map<String, serde_json::Value> = self.pattern()?.json().read().ok()?;
        if let Self::Wildcard { unless: Some(unless), .. } = self {
            selectors.insert("unless".to_owned(), unless.json().read().ok()?);
        }
        Some(selectors)
    }
}

pub(super) fn tool_of(allowed: &[AllowedCall], calls: &[usize]) -> Option<ToolName> {
    Some(allowed[*calls.first()?].call.tool.clone())
}
