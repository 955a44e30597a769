//! The check results.

use countersign_console::error_remedy;
use serde::Serialize;

/// A check result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CheckStatus {
    Ok,
    Warn,
    Fail,
}

/// One check.
#[derive(Debug, Serialize)]
pub(super) struct CheckResult {
    /// The check's subject.
    pub(super) check: &'static str,
    pub(super) status: CheckStatus,
    /// The finding.
    pub(super) found: String,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
}

/// All checks.
#[derive(Debug, Default)]
pub(super) struct CheckResults(pub(super) Vec<CheckResult>);

impl CheckResults {
    pub(super) fn ok(&mut self, check: &'static str, found: impl Into<String>) {
        self.0.push(CheckResult { check, status: CheckStatus::Ok, found: found.into(), remedy: None });
    }

    pub(super) fn warn(&mut self, check: &'static str, found: impl Into<String>, remedy: impl Into<String>) {
        let remedy = Some(remedy.into());
        self.0.push(CheckResult { check, status: CheckStatus::Warn, found: found.into(), remedy });
    }

    pub(super) fn fail(&mut self, check: &'static str, found: impl Into<String>, remedy: impl Into<String>) {
        let remedy = Some(remedy.into());
        self.0.push(CheckResult { check, status: CheckStatus::Fail, found: found.into(), remedy });
    }

    pub(super) fn worst(&self) -> CheckStatus {
        let has = |grade| self.0.iter().any(|finding| finding.status == grade);
        if has(CheckStatus::Fail) {
            CheckStatus::Fail
        } else if has(CheckStatus::Warn) {
            CheckStatus::Warn
        } else {
            CheckStatus::Ok
        }
    }

    /// Adds a check that could not be made, with the remedy for its error.
    pub(super) fn fail_with(&mut self, check: &'static str, error: &dyn std::error::Error, code: &str) {
        self.fail(check, error.to_string(), error_remedy(code));
    }
}
