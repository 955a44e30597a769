//! The impact that a rule looks for in the agent's own words.

/// What an agent says of its call, as a rule looks at it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClaimedImpact {
    pub(crate) risk_levels: Vec<String>,
    pub(crate) reversible: Option<bool>,
}
