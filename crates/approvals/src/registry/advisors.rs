//! The rules about advisors: reports on them, fall-backs, and the statements with which people let them decide.

use super::{AdmissionContext, LogRegistry, wrong_group};
use crate::{Refused, advisor_directory::AdvisorDirectory, decide::check_is_person};
use countersign_events::{
    AdvisorMode, AdvisorModeSet, AdvisorReported, Body, Event, Principal, ReportSource, is_advisor_name,
    principal::PrincipalKind,
};

/// The maximum length of a reason or statement, in bytes.
const MAX_TEXT_BYTES: usize = 2_048;

impl LogRegistry for AdvisorDirectory {
    fn admit(&self, fact: Body, context: &AdmissionContext<'_>) -> Result<Option<Body>, Refused> {
        match fact {
            Body::AdvisorReported(reported) => {
                let is_new = check_report(&reported, context.by, self)?;
                Ok(is_new.then_some(Body::AdvisorReported(reported)))
            }
            Body::AdvisorModeSet(set) => admit_mode(set, self, context),
            _ => Err(wrong_group()),
        }
    }

    fn evolve(&mut self, event: &Event, body: &Body) {
        Self::evolve(self, event, body);
    }
}

/// Returns true if the log does not have the report yet.
fn check_report(
    reported: &AdvisorReported,
    by: &Principal,
    directory: &AdvisorDirectory,
) -> Result<bool, Refused> {
    if by.kind() != PrincipalKind::System {
        check_is_person(by)?;
    }
    if !is_advisor_name(&reported.advisor) {
        return Err(Refused::invalid("advisor", "it is not the name of an advisor"));
    }
    if reported.source == ReportSource::Other {
        return Err(Refused::invalid("source", "it must be replay or shadow"));
    }
    if !reported.is_consistent() {
        return Err(Refused::invalid(
            "cases",
            "it must be the sum of agreed, falseAllows, falseDenials and asked, and failed is a part of asked",
        ));
    }
    let last =
        directory.get(&reported.advisor, reported.configuration).and_then(|known| known.report.as_ref());
    Ok(last.is_none_or(|last| last.what != *reported || last.by != *by))
}

/// Admits a mode by the active policy, and computes whether it overrides the thresholds.
fn admit_mode(
    set: AdvisorModeSet,
    directory: &AdvisorDirectory,
    context: &AdmissionContext<'_>,
) -> Result<Option<Body>, Refused> {
    let settings = context.policy.advisor(&set.advisor);
    let settings = settings.filter(|known| known.configuration == set.configuration);
    let settings = settings.ok_or_else(|| Refused::UnknownAdvisor(set.advisor.clone()))?;
    check_mode(&set, context.by)?;
    let last = directory.get(&set.advisor, set.configuration).and_then(|known| known.mode.as_ref());
    if last.is_some_and(|last| last.what.mode == set.mode) {
        return Ok(None);
    }
    let overrides =
        set.mode == AdvisorMode::Decide && (last.is_some() || directory.check_report(settings).is_err());
    Ok(Some(Body::AdvisorModeSet(AdvisorModeSet { overrides, ..set })))
}

/// The service only takes decisions away, with a reason. A person who lets an advisor decide says why.
fn check_mode(set: &AdvisorModeSet, by: &Principal) -> Result<(), Refused> {
    check_text("reason", set.reason.as_deref())?;
    check_text("statement", set.statement.as_deref())?;
    match (set.mode, by.kind() == PrincipalKind::System) {
        (AdvisorMode::Advise, true) if set.reason.is_none() => {
            Err(Refused::invalid("reason", "an automatic fall-back has a reason"))
        }
        (AdvisorMode::Advise, true) => Ok(()),
        (AdvisorMode::Advise, false) => check_is_person(by),
        (AdvisorMode::Decide, _) => {
            check_is_person(by)?;
            if set.statement.is_none() {
                return Err(Refused::invalid(
                    "statement",
                    "say why the advisor may decide; the log keeps it",
                ));
            }
            Ok(())
        }
        (AdvisorMode::Shadow | AdvisorMode::Other, _) => {
            Err(Refused::invalid("mode", "it must be advise or decide; the policy sets shadow"))
        }
    }
}

fn check_text(field: &'static str, text: Option<&str>) -> Result<(), Refused> {
    let is_fine = |text: &str| !text.trim().is_empty() && text.len() <= MAX_TEXT_BYTES;
    if text.is_none_or(is_fine) {
        return Ok(());
    }
    Err(Refused::invalid(field, &format!("it must have 1 to {MAX_TEXT_BYTES} bytes")))
}
