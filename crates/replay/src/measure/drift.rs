//! Drift: how often people contradict an advisor whose advice they see, or complain of what it allowed.

use super::HumanDecision;
use countersign_approvals::Call;
use countersign_events::{AdviceVerdict, AdvisorMode, Sha256, Source};
use countersign_policy::AdvisorThresholds;
use std::collections::BTreeMap;

/// The maximum number of recent answers that count. Older ones would hide that an advisor has become worse.
pub const DRIFT_WINDOW: usize = 200;

/// The share is taken of at least this many answers, so that one contradiction of a few answers is not a trend.
pub const MIN_DRIFT_ANSWERS: u64 = 20;

/// How often people contradicted recent advisor answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AdvisorDrift {
    /// The answers that count: `allow` or `deny`, shown to people or given by the advisor itself, on decided calls.
    pub answered: u64,
    /// The answers that a person decided against.
    pub overruled: u64,
    /// The `allow` answers that no person decided against, and about which a person complained later.
    pub complaints: u64,
}

impl AdvisorDrift {
    /// The answers that people contradicted.
    #[must_use]
    pub const fn contradicted(&self) -> u64 {
        self.overruled + self.complaints
    }

    /// The number that the share of contradicted answers is taken of.
    #[must_use]
    pub const fn share_of(&self) -> u64 {
        if self.answered < MIN_DRIFT_ANSWERS { MIN_DRIFT_ANSWERS } else { self.answered }
    }

    /// Returns true if people contradicted more answers than the policy accepts.
    #[must_use]
    pub fn exceeds(&self, thresholds: &AdvisorThresholds) -> bool {
        thresholds.exceeds_overruled(self.contradicted(), self.share_of())
    }
}

/// How a call affects advisor drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerFate {
    Accepted,
    Overruled,
    Flagged,
}

/// Finds the drift of one configuration of an advisor. The calls may come in any order, and a call that comes again replaces
/// its earlier state.
#[derive(Debug)]
pub struct DriftTally {
    advisor: String,
    configuration: Sha256,
    /// Advice up to this event does not count.
    after: i64,
    answers: BTreeMap<i64, AnswerFate>,
}

impl DriftTally {
    /// Creates a tally of the advice after the event `after`: the last one that set the advisor mode, or 0.
    #[must_use]
    pub fn new(advisor: &str, configuration: Sha256, after: i64) -> Self {
        Self { advisor: advisor.to_owned(), configuration, after, answers: BTreeMap::new() }
    }

    /// Adds a call. A call without a counted answer changes nothing.
    pub fn add_call(&mut self, call: &Call) {
        let advice = call.course.advice.iter().find(|advice| advice.what.advisor == self.advisor);
        let Some(advice) = advice else { return };
        let is_counted = advice.seq > self.after && advice.what.configuration == self.configuration;
        let is_seen = matches!(advice.what.mode, AdvisorMode::Advise | AdvisorMode::Decide);
        if !is_counted || !is_seen {
            return;
        }
        let Some(fate) = answer_fate(call, advice.seq, advice.what.advice) else { return };
        self.answers.insert(advice.seq, fate);
        while self.answers.len() > DRIFT_WINDOW {
            self.answers.pop_first();
        }
    }

    /// Returns true if the window is full: older answers do not change the drift.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.answers.len() >= DRIFT_WINDOW
    }

    /// Returns the drift.
    #[must_use]
    pub fn drift(&self) -> AdvisorDrift {
        let count = |wanted: AnswerFate| self.answers.values().filter(|fate| **fate == wanted).count() as u64;
        AdvisorDrift {
            answered: self.answers.len() as u64,
            overruled: count(AnswerFate::Overruled),
            complaints: count(AnswerFate::Flagged),
        }
    }
}

/// What became of an answer; `None` if it is not an answer, or if neither a person nor this advisor decided after it.
fn answer_fate(call: &Call, seq: i64, advice: AdviceVerdict) -> Option<AnswerFate> {
    let response = call.response()?;
    let is_allow = match advice {
        AdviceVerdict::Allow => true,
        AdviceVerdict::Deny => false,
        AdviceVerdict::Ask | AdviceVerdict::Other => return None,
    };
    // A person who decided before the advice came did not overrule it.
    if response.seq < seq {
        return None;
    }
    let flagged = is_allow && !call.course.flags.is_empty();
    let accepted = if flagged { AnswerFate::Flagged } else { AnswerFate::Accepted };
    if response.what.source == Source::Advisor {
        return Some(accepted);
    }
    let is_overruled = match HumanDecision::from_call(call)? {
        HumanDecision::Allowed => !is_allow,
        HumanDecision::Denied => is_allow,
        HumanDecision::Changed => true,
    };
    Some(if is_overruled { AnswerFate::Overruled } else { accepted })
}
