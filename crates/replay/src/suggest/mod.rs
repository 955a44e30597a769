//! Suggesting rules: what people allowed again and again without anybody ever denying it.

mod argument;
mod candidate;
mod choose;
mod evidence;
mod gather;
mod listed;
mod rule_evidence;
mod span;
mod suggestion;
mod wanted;
mod write;

pub use suggestion::{RuleSuggestion, SuggestedRule};
pub use wanted::{PassedOver, SuggestionOptions, VARIED};

use crate::then;
use countersign_approvals::Call;
use countersign_events::{
    Json, Sha256, ToolName,
    event::{Basis, RiskLevel, Source},
};
use countersign_policy::Policy;
use evidence::{AllowedCall, RefusedCall};
use std::collections::HashMap;

/// Gathers what people decided, and suggests rules from it.
#[derive(Debug)]
pub struct RuleSuggester {
    /// Says where the operands of tools stand.
    policy: Policy,
    wanted: SuggestionOptions,
    prompts: u64,
    passed_over: PassedOver,
    allowed: HashMap<(ToolName, Sha256), AllowedCall>,
    obstacles: HashMap<(ToolName, Sha256), RefusedCall>,
}

impl RuleSuggester {
    /// For a log of calls, under the policy that the rules are to be added to.
    #[must_use]
    pub fn new(policy: Policy, wanted: SuggestionOptions) -> Self {
        Self {
            policy,
            wanted,
            prompts: 0,
            passed_over: PassedOver::default(),
            allowed: HashMap::new(),
            obstacles: HashMap::new(),
        }
    }

    /// Takes in a call with all its events.
    pub fn take(&mut self, call: &Call) {
        let asked = call.request().is_some();
        self.prompts += u64::from(asked);
        let key = (call.proposal.what.name.clone(), call.proposal.what.arguments_hash);
        if let Some(objection) = then::objection(call) {
            self.passed_over.not_allowed += u64::from(asked);
            self.obstacles.entry(key).or_insert_with(|| RefusedCall::denied(call, &objection));
            return;
        }
        if !self.wanted.even_dangerous && is_dangerous(call) {
            self.passed_over.dangerous += u64::from(asked);
            self.obstacles.entry(key).or_insert_with(|| RefusedCall::dangerous(call));
            return;
        }
        if !asked {
            return;
        }
        let passed = &mut self.passed_over;
        let Some(response) = call.response().filter(|response| response.what.source == Source::Approver)
        else {
            passed.not_allowed += 1;
            return;
        };
        if then::thread_asked(call) {
            passed.asked_by_thread += 1;
        } else if is_on_purpose(call) {
            passed.asked_on_purpose += 1;
        } else if !call.proposal.what.redacted.is_empty() {
            passed.masked += 1;
        } else {
            self.allowed.entry(key).or_insert_with(|| AllowedCall::of(call)).add(call, &response.by);
        }
    }

    /// The rules that would have saved the most prompts and allow nothing of what was denied.
    #[must_use]
    pub fn suggestion(mut self) -> RuleSuggestion {
        for (key, allowed) in &self.allowed {
            if self.obstacles.contains_key(key) {
                self.passed_over.denied += allowed.prompts;
            }
        }
        let obstacles = self.obstacles;
        self.allowed.retain(|key, _| !obstacles.contains_key(key));
        let mut allowed: Vec<_> = self.allowed.into_values().collect();
        // What is suggested is to hang on what is in the log, and on no order of a table in memory.
        allowed.sort_by_key(|allowed| allowed.seq);
        let mut obstacles: Vec<_> = obstacles.into_values().collect();
        obstacles.sort_by_key(|obstacle| obstacle.seq);
        let candidates = gather::all(&self.policy, &allowed, &obstacles);
        choose::choose(
            candidates,
            &allowed,
            &obstacles,
            &choose::SuggestionCounts {
                wanted: self.wanted,
                prompts: self.prompts,
                passed_over: self.passed_over,
            },
        )
    }
}

/// Whether a rule of the policy, a zone or the tool itself asks: that stands however many rules allow it.
fn is_on_purpose(call: &Call) -> bool {
    let by_rule = call.request().is_some_and(|request| request.what.rule.is_some());
    let by_tool = call.proposal.what.definition.as_ref().and_then(|definition| definition.needs_approval);
    by_rule || by_tool == Some(true)
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct SuggestedHints {
    #[serde(default)]
    destructive_hint: Option<bool>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct SuggestedImpact {
    #[serde(default)]
    risk_level: Option<RiskLevel>,
    #[serde(default)]
    reversible: Option<bool>,
}

/// Whether the tool, the agent or the policy calls it dangerous.
fn is_dangerous(call: &Call) -> bool {
    let proposed = &call.proposal.what;
    let destroys =
        |json: &Json| json.read::<SuggestedHints>().is_ok_and(|hints| hints.destructive_hint == Some(true));
    let hurts = |json: &Json| {
        json.read::<SuggestedImpact>().is_ok_and(|impact| {
            impact.reversible == Some(false)
                || matches!(impact.risk_level, Some(RiskLevel::High | RiskLevel::Critical | RiskLevel::Other))
        })
    };
    let sounds = call.request().is_some_and(|request| request.what.basis == Some(Basis::Tool));
    let asks = proposed.definition.as_ref().is_some_and(|definition| definition.needs_approval == Some(true));
    proposed.annotations.as_ref().is_some_and(destroys)
        || proposed.impact.as_ref().is_some_and(hurts)
        || (sounds && !asks)
}
