//! The claimed impact that a rule matches.

/// The impact that a rule requires the agent to claim.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClaimedImpact {
    pub(crate) risk_levels: Vec<String>,
    pub(crate) reversible: Option<bool>,
}
