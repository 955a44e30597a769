//! A rule that might be suggested.

use super::evidence::Allowed;
use countersign_events::ToolName;
use countersign_policy::Pattern;
use std::collections::BTreeSet;

/// What a rule would look at besides the tool, from the narrowest kind to the widest.
#[derive(Debug, Clone)]
pub(super) enum Selects {
    /// Arguments with listed values.
    Listed(Pattern),
    /// A command, an address, a path.
    Operand(Pattern),
    /// Nothing.
    Tool,
}

impl Selects {
    pub(super) const fn width(&self) -> u8 {
        match self {
            Self::Listed(_) => 0,
            Self::Operand(_) => 1,
            Self::Tool => 2,
        }
    }
}

/// A rule that might be suggested.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) tool: ToolName,
    pub(super) selects: Selects,
    /// Which of the allowed calls it meets for sure.
    pub(super) meets: BTreeSet<usize>,
}

impl Selects {
    /// The selectors besides the tool, as JSON.
    pub(super) fn json(&self) -> Option<serde_json::Map<String, serde_json::Value>> {
        match self {
            Self::Listed(pattern) | Self::Operand(pattern) => pattern.json().read().ok(),
            Self::Tool => None,
        }
    }
}

pub(super) fn tool_of(allowed: &[Allowed], calls: &[usize]) -> Option<ToolName> {
    Some(allowed[*calls.first()?].looks.tool.clone())
}
