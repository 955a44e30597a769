//! Measures an advisor: compares its answers with the decisions of people on the same calls.
//!
//! Only human decisions count. Grants, rules, modes, expiries and cancellations say nothing about a call, and an
//! advisor decision says nothing about an advisor.

mod drift;
mod human_decision;
mod late_facts;
mod measurement;
mod tally;

pub use drift::{AdvisorDrift, DRIFT_WINDOW, DriftTally, MIN_DRIFT_ANSWERS};
pub use human_decision::HumanDecision;
pub use late_facts::LateFacts;
pub use measurement::{
    AdvisorMeasurement, AnswerRow, AnswerTimes, AnsweredPrompts, CaseCounts, ConfusionTable, ListedMistakes,
    MeasuredMistake, NamedCaseCounts,
};
pub use tally::{AdvisorTally, MeasuredAnswer};
