//! What the agent says would come of a call, for whoever decides on it.

use crate::json::shown_as;
use countersign_api as api;
use countersign_gate::event::RiskLevel;

/// It may say anything: what is no impact is shown as JSON.
#[derive(Debug, Clone, Default)]
pub(crate) struct Impact {
    pub(crate) risk: Option<RiskLevel>,
    pub(crate) reversible: Option<bool>,
    /// What else it says: a label and a text for each, as they were given.
    pub(crate) facts: Vec<(&'static str, String)>,
}

impl Impact {
    pub(crate) fn of(call: &api::Call) -> Self {
        let Some(json) = &call.impact else { return Self::default() };
        let Ok(impact) = json.read::<api::ProposedImpact>() else {
            return Self { facts: vec![("impact", shown_as(json).join("\n"))], ..Self::default() };
        };
        let mut facts = Vec::new();
        facts.extend(impact.message.map(|text| ("impact", text)));
        facts.extend(impact.affected_resources.into_iter().map(|text| ("touches", text)));
        facts.extend(impact.estimated_impact.map(|text| ("reach", text)));
        Self { risk: impact.risk_level, reversible: impact.reversible, facts }
    }

    /// How bad it would be and whether it can be undone, as far as that is said.
    pub(crate) fn danger(&self) -> Option<String> {
        let undone = |can: bool| if can { "can be undone" } else { "cannot be undone" };
        let parts: Vec<_> = self.risk.map(risk).into_iter().chain(self.reversible.map(undone)).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// The risk in words that need no colour.
const fn risk(level: RiskLevel) -> &'static str {
    match level {
        RiskLevel::Other => "unknown",
        level => level.as_str(),
    }
}
