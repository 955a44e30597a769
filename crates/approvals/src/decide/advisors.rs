//! Advisors: reports on them, fall-backs, and the statements with which people let them decide.

use super::{NewEvent, eligible};
use crate::{Refused, advisor_directory::AdvisorDirectory};
use countersign_events::{
    Body, Principal, Sha256,
    event::{AdvisorMode, AdvisorModeSet, AdvisorReported, ReportSource, is_advisor_name},
    principal::PrincipalKind,
};
use countersign_policy::Policy;

/// The longest reason or statement, in bytes.
const MAX_TEXT_BYTES: usize = 2_048;

/// A command about the advisors of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdvisorCommand {
    /// Record a measurement of an advisor.
    Report(AdvisorReported),
    /// Let an advisor decide, or only advise.
    SetMode(SetAdvisorMode),
}

/// The mode of an advisor from here on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAdvisorMode {
    /// The name of the advisor.
    pub advisor: String,
    /// The settings that the caller looked at.
    pub configuration: Sha256,
    /// `advise` or `decide`.
    pub mode: AdvisorMode,
    /// The reason of a fall-back.
    pub reason: Option<String>,
    /// The statement of the person who lets it decide.
    pub statement: Option<String>,
}

/// Decides on a command about advisors, by the policy in force.
pub(crate) fn decide_on_advisors(
    command: &AdvisorCommand,
    by: &Principal,
    directory: &AdvisorDirectory,
    policy: &Policy,
) -> Result<Vec<NewEvent>, Refused> {
    match command {
        AdvisorCommand::Report(reported) => report(reported, by, directory),
        AdvisorCommand::SetMode(set) => set_mode(set, by, directory, policy),
    }
}

fn report(
    reported: &AdvisorReported,
    by: &Principal,
    directory: &AdvisorDirectory,
) -> Result<Vec<NewEvent>, Refused> {
    if by.kind() != PrincipalKind::System {
        eligible::check_is_person(by)?;
    }
    if !is_advisor_name(&reported.advisor) {
        return Err(invalid("advisor", "it is not the name of an advisor"));
    }
    if reported.source == ReportSource::Other {
        return Err(invalid("source", "it must be replay or shadow"));
    }
    if !reported.is_consistent() {
        return Err(invalid(
            "cases",
            "it must be the sum of agreed, falseAllows, falseDenials and asked, and failed is a part of asked",
        ));
    }
    let last =
        directory.get(&reported.advisor, reported.configuration).and_then(|known| known.report.as_ref());
    if last.is_some_and(|last| last.what == *reported && last.by == *by) {
        return Ok(Vec::new());
    }
    Ok(vec![NewEvent::new(by, Body::AdvisorReported(reported.clone()))])
}

fn set_mode(
    set: &SetAdvisorMode,
    by: &Principal,
    directory: &AdvisorDirectory,
    policy: &Policy,
) -> Result<Vec<NewEvent>, Refused> {
    let settings = policy.advisor(&set.advisor).filter(|known| known.configuration == set.configuration);
    let settings = settings.ok_or_else(|| Refused::UnknownAdvisor(set.advisor.clone()))?;
    check_mode(set, by)?;
    let last = directory.get(&set.advisor, set.configuration).and_then(|known| known.mode.as_ref());
    if last.is_some_and(|last| last.what.mode == set.mode) {
        return Ok(Vec::new());
    }
    let overrides =
        set.mode == AdvisorMode::Decide && (last.is_some() || directory.check_report(settings).is_err());
    let body = AdvisorModeSet {
        advisor: set.advisor.clone(),
        configuration: set.configuration,
        mode: set.mode,
        reason: set.reason.clone(),
        overrides,
        statement: set.statement.clone(),
    };
    Ok(vec![NewEvent::new(by, Body::AdvisorModeSet(body))])
}

/// The service only takes decisions away, with a reason. A person who lets an advisor decide says why.
fn check_mode(set: &SetAdvisorMode, by: &Principal) -> Result<(), Refused> {
    check_text("reason", set.reason.as_deref())?;
    check_text("statement", set.statement.as_deref())?;
    match (set.mode, by.kind() == PrincipalKind::System) {
        (AdvisorMode::Advise, true) if set.reason.is_none() => {
            Err(invalid("reason", "an automatic fall-back has a reason"))
        }
        (AdvisorMode::Advise, true) => Ok(()),
        (AdvisorMode::Advise, false) => eligible::check_is_person(by),
        (AdvisorMode::Decide, _) => {
            eligible::check_is_person(by)?;
            if set.statement.is_none() {
                return Err(invalid("statement", "say why the advisor may decide; the log keeps it"));
            }
            Ok(())
        }
        (AdvisorMode::Shadow | AdvisorMode::Other, _) => {
            Err(invalid("mode", "it must be advise or decide; the policy sets shadow"))
        }
    }
}

fn check_text(field: &'static str, text: Option<&str>) -> Result<(), Refused> {
    let is_fine = |text: &str| !text.trim().is_empty() && text.len() <= MAX_TEXT_BYTES;
    if text.is_none_or(is_fine) {
        return Ok(());
    }
    Err(invalid(field, &format!("it must have 1 to {MAX_TEXT_BYTES} bytes")))
}

fn invalid(field: &'static str, why: &str) -> Refused {
    Refused::Invalid { field, why: why.to_owned() }
}
