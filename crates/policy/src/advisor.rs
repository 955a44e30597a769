//! Advisors: programs that the policy asks about calls that people would be asked about.

use crate::{RuleEffect, facts::CallFacts, outcome::SelectorHit, selector::RuleSelectors};
use countersign_events::{AdviceVerdict, AdvisorMode, AdvisorProtocol, AdvisorReported, Sha256};
use std::{fmt, time::Duration};

/// One million parts, which make a whole share.
const WHOLE: u32 = 1_000_000;

/// The advisor settings in a policy.
#[derive(Debug, Clone)]
pub struct AdvisorSettings {
    /// The name, unique in the policy.
    pub name: String,
    /// The way in which it is asked.
    pub protocol: AdvisorProtocol,
    /// The program or service that answers.
    pub target: AdvisorTarget,
    /// The mode that the policy sets. To decide, an advisor must also be proven.
    pub mode: AdvisorMode,
    /// The answers that it may give in the mode `decide`: `allow`, `deny` or both.
    pub outcomes: Vec<AdviceVerdict>,
    /// The longest time to wait for an answer.
    pub timeout: Duration,
    /// The maximum number of questions at the same time.
    pub concurrency: u32,
    /// How long an answer also answers an equal question. Zero turns this off.
    pub cache: Duration,
    /// The conditions under which it may decide.
    pub thresholds: AdvisorThresholds,
    /// The hash of the settings that affect its answers: all but the name, the mode, the outcomes, the key, the
    /// thresholds and the limits of time and number. It also covers the [`QuestionFormat`](crate::QuestionFormat). A
    /// report is about one configuration.
    pub configuration: Sha256,
    /// The calls that it is asked about; all, if absent.
    pub(crate) applies: Option<RuleSelectors>,
}

/// The program or service that answers the questions to an advisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdvisorTarget {
    /// A service that takes a JSON document: Countersign's own protocol, or the Open Policy Agent.
    Service {
        /// The address, with `http` or `https`.
        url: String,
        /// Whether the address may be a private or a local one.
        allow_private: bool,
        /// The key name, which the server operator defines.
        key: Option<String>,
    },
    /// A program that the server starts for each question: its path and its arguments.
    Command(Vec<String>),
    /// Cedar policies, evaluated in the process.
    Cedar {
        /// The policies' text.
        policies: String,
    },
    /// The facts that the log has about the call, judged in the process.
    Facts,
    /// A chat endpoint.
    Chat {
        /// The address, with `http` or `https`.
        url: String,
        /// Whether the address may be a private or a local one.
        allow_private: bool,
        /// The model's name.
        model: String,
        /// The instructions to the model.
        prompt: String,
        /// The key name, which the server operator defines.
        key: Option<String>,
    },
}

/// The conditions under which an advisor may decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvisorThresholds {
    /// The minimum number of calls in a report that the advisor would have answered.
    pub min_cases: u64,
    /// The maximum number of calls that the advisor would allow and a person denied.
    pub max_false_allows: u64,
    /// The largest share of answers that people contradict, in millionths.
    pub max_overruled_ppm: u32,
}

impl Default for AdvisorThresholds {
    fn default() -> Self {
        Self { min_cases: 200, max_false_allows: 0, max_overruled_ppm: 50_000 }
    }
}

/// The condition that a report does not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnmetThreshold {
    /// The report has too few cases.
    #[error("the report has {answered} answered cases; the policy needs {needed}")]
    TooFewCases {
        /// The cases that the advisor would have answered.
        answered: u64,
        /// The minimum number of cases.
        needed: u64,
    },
    /// The advisor would allow too many calls that people denied.
    #[error(
        "the advisor would have allowed {false_allows} calls that people denied; the policy accepts {accepted}"
    )]
    FalseAllows {
        /// The calls that it would allow and a person denied.
        false_allows: u64,
        /// The maximum number.
        accepted: u64,
    },
    /// The advisor contradicts people too often.
    #[error("the advisor contradicted people in {wrong} of {answered} cases; the policy accepts {} %", percent(*.accepted_ppm))]
    Contradictions {
        /// The cases in which the advisor and the person differ.
        wrong: u64,
        /// The cases that the advisor would have answered.
        answered: u64,
        /// The largest share, in millionths.
        accepted_ppm: u32,
    },
}

/// A share in millionths as a percentage.
fn percent(ppm: u32) -> impl fmt::Display {
    f64::from(ppm) / f64::from(WHOLE / 100)
}

impl AdvisorThresholds {
    /// The largest share of its answers that people may contradict, from 0 to 1.
    #[must_use]
    pub fn max_overruled(&self) -> f64 {
        f64::from(self.max_overruled_ppm) / f64::from(WHOLE)
    }

    /// Returns true if `overruled` of `answered` answers are more than the policy accepts.
    #[must_use]
    pub fn exceeds_overruled(&self, overruled: u64, answered: u64) -> bool {
        u128::from(overruled) * u128::from(WHOLE) > u128::from(answered) * u128::from(self.max_overruled_ppm)
    }

    /// Checks that a report is good enough for an advisor that decides.
    pub fn check_report(&self, report: &AdvisorReported) -> Result<(), UnmetThreshold> {
        let answered = report.answered();
        let wrong = report.false_allows.saturating_add(report.false_denials);
        if answered < self.min_cases {
            return Err(UnmetThreshold::TooFewCases { answered, needed: self.min_cases });
        }
        if report.false_allows > self.max_false_allows {
            let (false_allows, accepted) = (report.false_allows, self.max_false_allows);
            return Err(UnmetThreshold::FalseAllows { false_allows, accepted });
        }
        if self.exceeds_overruled(wrong, answered) {
            let accepted_ppm = self.max_overruled_ppm;
            return Err(UnmetThreshold::Contradictions { wrong, answered, accepted_ppm });
        }
        Ok(())
    }
}

impl AdvisorSettings {
    /// Returns true if the advisor is asked about the call: its `applies` certainly matches all of it.
    pub(crate) fn applies_to(&self, facts: &CallFacts<'_>) -> bool {
        let hit = self.applies.as_ref().map(|applies| applies.match_call(RuleEffect::Widen, facts));
        hit.is_none_or(|hit| matches!(hit, SelectorHit::Yes(_)))
    }

    /// Returns true if the advisor may give this answer in `decide` mode.
    #[must_use]
    pub fn may_answer(&self, advice: AdviceVerdict) -> bool {
        matches!(advice, AdviceVerdict::Allow | AdviceVerdict::Deny) && self.outcomes.contains(&advice)
    }
}
