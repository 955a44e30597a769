//! Advisor reports and modes, built from log events, and the effective mode.

use crate::call::RecordedFact;
use countersign_events::{AdvisorMode, AdvisorModeSet, AdvisorReported, Body, Event, Sha256};
use countersign_policy::{AdvisorSettings, UnmetThreshold};
use std::collections::HashMap;

/// The facts about advisors in a log, by name and configuration: an advisor with other settings starts without any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdvisorDirectory {
    advisors: HashMap<(String, Sha256), AdvisorRecord>,
}

/// The facts about one configuration of an advisor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdvisorRecord {
    /// The last report.
    pub report: Option<RecordedFact<AdvisorReported>>,
    /// The last mode that was set: a fall-back, or a person's statement.
    pub mode: Option<RecordedFact<AdvisorModeSet>>,
}

/// The effective advisor mode, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveMode {
    /// The mode.
    pub mode: AdvisorMode,
    /// The reason.
    pub reason: ModeReason,
}

/// The reason for an advisor mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModeReason {
    /// The policy says so.
    #[error("the policy says so")]
    Policy,
    /// A report meets the policy's thresholds.
    #[error("the report of event {seq} meets the thresholds of the policy")]
    Report {
        /// The report's event.
        seq: i64,
    },
    /// A person let the advisor decide.
    #[error("{by} let it decide in event {seq}: {statement}")]
    Statement {
        /// The event.
        seq: i64,
        /// The person.
        by: String,
        /// The statement.
        statement: String,
    },
    /// No report about this configuration exists.
    #[error("no report about these settings exists; measure the advisor first")]
    NoReport,
    /// The last report does not meet the thresholds.
    #[error("event {seq}: {unmet}")]
    UnmetThreshold {
        /// The report's event.
        seq: i64,
        /// The threshold.
        unmet: UnmetThreshold,
    },
    /// The advisor fell back, or a person took the decision from it.
    #[error("{by} let it only advise since event {seq}: {why}")]
    FallBack {
        /// The event.
        seq: i64,
        /// The service, or the person.
        by: String,
        /// The reason.
        why: String,
    },
}

impl AdvisorDirectory {
    /// Applies an event. Events about other things change nothing.
    pub fn evolve(&mut self, event: &Event, body: &Body) {
        match body {
            Body::AdvisorReported(reported) => {
                self.entry(&reported.advisor, reported.configuration).report =
                    Some(RecordedFact::from_event(event, reported.clone()));
            }
            Body::AdvisorModeSet(set) => {
                self.entry(&set.advisor, set.configuration).mode =
                    Some(RecordedFact::from_event(event, set.clone()));
            }
            _ => {}
        }
    }

    fn entry(&mut self, advisor: &str, configuration: Sha256) -> &mut AdvisorRecord {
        self.advisors.entry((advisor.to_owned(), configuration)).or_default()
    }

    /// The facts about an advisor with these settings.
    #[must_use]
    pub fn get(&self, advisor: &str, configuration: Sha256) -> Option<&AdvisorRecord> {
        self.advisors.get(&(advisor.to_owned(), configuration))
    }

    /// The effective advisor mode. Only the policy makes an advisor decide, and without a report or a statement the
    /// advisor then only advises.
    #[must_use]
    pub fn effective_mode(&self, settings: &AdvisorSettings) -> EffectiveMode {
        let mode = |mode, reason| EffectiveMode { mode, reason };
        match settings.mode {
            AdvisorMode::Decide => match self.check_proven(settings) {
                Ok(reason) => mode(AdvisorMode::Decide, reason),
                Err(reason) => mode(AdvisorMode::Advise, reason),
            },
            AdvisorMode::Advise => mode(AdvisorMode::Advise, ModeReason::Policy),
            AdvisorMode::Shadow | AdvisorMode::Other => mode(AdvisorMode::Shadow, ModeReason::Policy),
        }
    }

    /// Checks that the advisor may decide. A report does not lift a fall-back: only a statement does.
    fn check_proven(&self, settings: &AdvisorSettings) -> Result<ModeReason, ModeReason> {
        let record = self.get(&settings.name, settings.configuration);
        if let Some(set) = record.and_then(|record| record.mode.as_ref()) {
            let (seq, by) = (set.seq, set.by.to_string());
            return if set.what.mode == AdvisorMode::Decide {
                let statement = set.what.statement.clone().unwrap_or_default();
                Ok(ModeReason::Statement { seq, by, statement })
            } else {
                let why = set.what.reason.clone().unwrap_or_else(|| "no reason given".to_owned());
                Err(ModeReason::FallBack { seq, by, why })
            };
        }
        self.check_report(settings)
    }

    /// Checks that the last report meets the policy's thresholds.
    pub(crate) fn check_report(&self, settings: &AdvisorSettings) -> Result<ModeReason, ModeReason> {
        let record = self.get(&settings.name, settings.configuration);
        let Some(report) = record.and_then(|record| record.report.as_ref()) else {
            return Err(ModeReason::NoReport);
        };
        let seq = report.seq;
        match settings.thresholds.check_report(&report.what) {
            Ok(()) => Ok(ModeReason::Report { seq }),
            Err(unmet) => Err(ModeReason::UnmetThreshold { seq, unmet }),
        }
    }
}
