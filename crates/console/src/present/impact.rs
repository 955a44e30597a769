//! The impact that an agent declares for its call.

use super::json::json_lines;
use countersign_api as api;
use countersign_events::RiskLevel;

/// The declared impact, in text. JSON of another shape is shown as JSON.
#[derive(Debug, Clone, Default)]
pub struct ImpactSummary {
    /// The risk level.
    pub risk: Option<RiskLevel>,
    /// Whether the effect can be undone.
    pub reversible: Option<bool>,
    /// Everything else: a label and an unescaped text for each.
    pub facts: Vec<(&'static str, String)>,
}

impl ImpactSummary {
    /// Reads the call impact.
    #[must_use]
    pub fn from_call(call: &api::Call) -> Self {
        let Some(json) = &call.impact else { return Self::default() };
        let Ok(impact) = json.read::<api::ProposedImpact>() else {
            return Self { facts: vec![("impact", json_lines(json).join("\n"))], ..Self::default() };
        };
        let mut facts = Vec::new();
        facts.extend(impact.message.map(|text| ("impact", text)));
        facts.extend(impact.affected_resources.into_iter().map(|text| ("touches", text)));
        facts.extend(impact.estimated_impact.map(|text| ("extent", text)));
        Self { risk: impact.risk_level, reversible: impact.reversible, facts }
    }

    /// The risk and whether the effect can be undone, as far as the agent declared them.
    #[must_use]
    pub fn describe_risk(&self) -> Option<String> {
        let undone = |can: bool| if can { "can be undone" } else { "cannot be undone" };
        let parts: Vec<_> = self.risk.map(risk_text).into_iter().chain(self.reversible.map(undone)).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// The risk as a word.
const fn risk_text(level: RiskLevel) -> &'static str {
    match level {
        RiskLevel::Other => "unknown",
        level => level.as_str(),
    }
}
