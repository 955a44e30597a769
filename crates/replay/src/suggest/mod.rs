//! Suggesting rules: what people allowed again and again without anybody ever denying it.

mod candidate;
mod choose;
mod evidence;
mod listed;
mod write;

pub use choose::{Suggested, Suggestion};

use super::then;
use countersign_approvals::Call;
use countersign_events::{
    Json, Principal, Sha256, ThreadId, Timestamp, ToolName,
    event::{Basis, RiskLevel, Source},
};
use countersign_policy::Policy;
use evidence::{Allowed, Obstacle};
use serde::Serialize;
use std::collections::HashMap;

/// What is wanted of a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// How many prompts a rule has to save at least.
    pub at_least: u64,
    /// Whether rules may allow what somebody called dangerous: a destructive tool, a high risk, a name that
    /// sounds like it.
    pub even_dangerous: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { at_least: 5, even_dangerous: false }
    }
}

/// How many different values somebody must have allowed before a rule leaves a value open.
pub const VARIED: usize = 10;

/// Prompts that no suggestion is made of, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PassedOver {
    /// A rule or zone of the policy asks, or the tool itself: no rule that allows lifts that.
    pub asked_on_purpose: u64,
    /// The thread requires approval.
    pub asked_by_thread: u64,
    /// Part of the arguments is masked in the log.
    pub masked: u64,
    /// Somebody calls them dangerous.
    pub dangerous: u64,
    /// The same call was denied another time.
    pub denied: u64,
    /// People did not allow them: they were denied, lapsed, were withdrawn or wait.
    pub not_allowed: u64,
}

/// Gathers what people decided, and suggests rules from it.
#[derive(Debug)]
pub struct Suggest {
    /// Says where the operands of tools stand.
    policy: Policy,
    wanted: Wanted,
    prompts: u64,
    passed_over: PassedOver,
    allowed: HashMap<(ToolName, Sha256), Allowed>,
    obstacles: HashMap<(ToolName, Sha256), Obstacle>,
}

impl Suggest {
    /// For a log of calls, under the policy that the rules are to be added to.
    #[must_use]
    pub fn new(policy: Policy, wanted: Wanted) -> Self {
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
            self.obstacles.entry(key).or_insert_with(|| Obstacle::denied(call, &objection));
            return;
        }
        if !self.wanted.even_dangerous && is_dangerous(call) {
            self.passed_over.dangerous += u64::from(asked);
            self.obstacles.entry(key).or_insert_with(|| Obstacle::dangerous(call));
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
            self.allowed.entry(key).or_insert_with(|| Allowed::of(call)).add(call, &response.by);
        }
    }

    /// The rules that would have saved the most prompts and allow nothing of what was denied.
    #[must_use]
    pub fn suggestion(mut self) -> Suggestion {
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
        let candidates = candidate::all(&self.policy, &allowed, &obstacles);
        choose::choose(
            candidates,
            &allowed,
            &obstacles,
            &choose::Numbers { wanted: self.wanted, prompts: self.prompts, passed_over: self.passed_over },
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
struct Hints {
    #[serde(default)]
    destructive_hint: Option<bool>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Impact {
    #[serde(default)]
    risk_level: Option<RiskLevel>,
    #[serde(default)]
    reversible: Option<bool>,
}

/// Whether the tool, the agent or the policy calls it dangerous.
fn is_dangerous(call: &Call) -> bool {
    let proposed = &call.proposal.what;
    let destroys = |json: &Json| json.read::<Hints>().is_ok_and(|hints| hints.destructive_hint == Some(true));
    let hurts = |json: &Json| {
        json.read::<Impact>().is_ok_and(|impact| {
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

/// When something happened first, and last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    first: Timestamp,
    last: Timestamp,
}

impl Span {
    const fn of(at: Timestamp) -> Self {
        Self { first: at, last: at }
    }

    fn and(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}
