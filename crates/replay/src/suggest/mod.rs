//! Suggests rules for calls that people allowed repeatedly and never denied.

mod argument;
mod candidate;
mod choose;
mod evidence;
mod gather;
mod listed;
mod operand;
mod options;
mod period;
mod rule_evidence;
mod suggestion;
mod wildcard;
mod write;

pub(crate) use evidence::{PolicyView, RefusedCall};
pub use options::{MIN_VARIED_VALUES, SkippedPrompts, SuggestionOptions};
pub use suggestion::{RuleSuggestion, SuggestedRule};
pub(crate) use write::describe_refusal;

use crate::{has_no_texts, past_answer};
use countersign_approvals::Call;
use countersign_events::{Basis, Json, RiskLevel, Sha256, Source, ToolName, Verdict};
use countersign_policy::Policy;
use evidence::AllowedCall;
use std::collections::HashMap;

/// Collects the decisions of people and suggests rules from them.
#[derive(Debug, Clone)]
pub struct RuleSuggester {
    /// Defines the operands of tools: the arguments that hold a command, a URL or a path.
    policy: Policy,
    options: SuggestionOptions,
    prompts: u64,
    skipped: SkippedPrompts,
    allowed: HashMap<(ToolName, Sha256), AllowedCall>,
    obstacles: HashMap<(ToolName, Sha256), RefusedCall>,
}

impl RuleSuggester {
    /// Creates a suggester of rules that extend `policy`.
    #[must_use]
    pub fn new(policy: Policy, options: SuggestionOptions) -> Self {
        Self {
            policy,
            options,
            prompts: 0,
            skipped: SkippedPrompts::default(),
            allowed: HashMap::new(),
            obstacles: HashMap::new(),
        }
    }

    /// Adds a call that has all its events.
    pub fn add_call(&mut self, call: &Call) {
        let asked = call.request().is_some();
        self.prompts += u64::from(asked);
        let key = (call.proposal.what.name.clone(), call.proposal.what.arguments_hash);
        if let Some(objection) = past_answer::find_objection(call) {
            self.skipped.not_allowed += u64::from(asked);
            self.obstacles.entry(key).or_insert_with(|| RefusedCall::denied(call, &objection));
            return;
        }
        if !self.options.even_dangerous && is_dangerous(call) {
            self.skipped.dangerous += u64::from(asked);
            self.obstacles.entry(key).or_insert_with(|| RefusedCall::dangerous(call));
            return;
        }
        if !asked {
            return;
        }
        let skipped = &mut self.skipped;
        let Some(response) = call.response().filter(|response| response.what.source == Source::Approver)
        else {
            skipped.not_allowed += 1;
            return;
        };
        if past_answer::thread_asked(call) {
            skipped.asked_by_thread += 1;
        } else if is_asked_on_purpose(call) {
            skipped.asked_on_purpose += 1;
        } else if !call.proposal.what.redacted.is_empty() || has_no_texts(call) {
            skipped.masked += 1;
        } else {
            self.allowed
                .entry(key)
                .or_insert_with(|| AllowedCall::from_call(call))
                .add_prompt(call, &response.by);
        }
    }

    /// Returns the rules that would be suggested if no call had been refused. They show why a rule is not offered.
    #[must_use]
    pub(crate) fn suggest_despite_refusals(&self) -> RuleSuggestion {
        Self { obstacles: HashMap::new(), ..self.clone() }.suggestion()
    }

    /// Returns the rules that would have saved the most prompts and that allow no denied call.
    #[must_use]
    pub fn suggestion(mut self) -> RuleSuggestion {
        for (key, allowed) in &self.allowed {
            if self.obstacles.contains_key(key) {
                self.skipped.denied += allowed.prompts;
            }
        }
        let obstacles = self.obstacles;
        self.allowed.retain(|key, _| !obstacles.contains_key(key));
        let mut allowed: Vec<_> = self.allowed.into_values().collect();
        // Sort, so that the suggestion depends only on the log and not on the hash map order.
        allowed.sort_by_key(|allowed| allowed.seq);
        let settled = drop_settled(&self.policy, &mut allowed);
        self.skipped.settled += settled;
        let mut obstacles: Vec<_> = obstacles.into_values().collect();
        obstacles.sort_by_key(|obstacle| obstacle.seq);
        let candidates = gather::find_candidates(&self.policy, &allowed, &obstacles);
        choose::choose_rules(
            candidates,
            &allowed,
            &obstacles,
            &choose::SuggestionCounts { options: self.options, prompts: self.prompts, skipped: self.skipped },
        )
    }
}

/// Drops the calls that the policy no longer asks about, or that a rule asks about now. Returns the number of their
/// prompts. A rule that was accepted before is not suggested again, although its prompts are still in the log.
fn drop_settled(policy: &Policy, allowed: &mut Vec<AllowedCall>) -> u64 {
    let mut prompts = 0;
    allowed.retain(|allowed| {
        let judgement = policy.judge(&allowed.call.subject(), &|| false);
        let is_open = judgement.verdict == Verdict::Ask && judgement.rule.is_none();
        prompts += if is_open { 0 } else { allowed.prompts };
        is_open
    });
    prompts
}

/// Returns true if a rule, a zone or the tool itself asks. Additional allow rules cannot override that.
fn is_asked_on_purpose(call: &Call) -> bool {
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

/// Returns true if the tool, the agent or the policy marks the call as dangerous.
fn is_dangerous(call: &Call) -> bool {
    let proposed = &call.proposal.what;
    let is_destructive =
        |json: &Json| json.read::<SuggestedHints>().is_ok_and(|hints| hints.destructive_hint == Some(true));
    let is_risky = |json: &Json| {
        json.read::<SuggestedImpact>().is_ok_and(|impact| {
            impact.reversible == Some(false)
                || matches!(impact.risk_level, Some(RiskLevel::High | RiskLevel::Critical | RiskLevel::Other))
        })
    };
    let has_dangerous_name = call.request().is_some_and(|request| request.what.basis == Some(Basis::Tool));
    let needs_approval =
        proposed.definition.as_ref().is_some_and(|definition| definition.needs_approval == Some(true));
    proposed.annotations.as_ref().is_some_and(is_destructive)
        || proposed.impact.as_ref().is_some_and(is_risky)
        || (has_dangerous_name && !needs_approval)
}
