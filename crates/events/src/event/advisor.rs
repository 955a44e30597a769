//! Advisors: programs that the policy asks about calls before people decide. Every statement of an advisor is an event.

use super::{AdvisorMode, ReportSource};
use crate::Sha256;
use serde::{Deserialize, Serialize};

macro_rules! advisor_events {
    ([$next:ident $(, $rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest),*] $($rows)* Advisor {
            /// An advisor was measured against the decisions of people. It belongs to the log as a whole.
            AdvisorReported(AdvisorReported) = "ADVISOR_REPORTED" {},
            /// An advisor may decide from here on, or only advises.
            AdvisorModeSet(AdvisorModeSet) = "ADVISOR_MODE_SET" {},
        } }
    };
}
pub(super) use advisor_events;

/// The maximum length of an advisor name, in bytes.
const MAX_ADVISOR_NAME_BYTES: usize = 64;

/// Returns true if an advisor may have the name: ASCII letters, digits, `-`, `_` and `.`, at most 64.
#[must_use]
pub fn is_advisor_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=MAX_ADVISOR_NAME_BYTES).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_plain)
}

/// The token counts that an advisor model reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"input": 812, "output": 41}))))]
#[serde(rename_all = "camelCase")]
pub struct AdviceTokens {
    /// The question's tokens.
    pub input: u64,
    /// The answer's tokens.
    pub output: u64,
}

/// `ADVISOR_REPORTED`: advisor answers were compared with human decisions on the same calls. `cases` is the sum of
/// `agreed`, `false_allows`, `false_denials` and `asked`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdvisorReported {
    /// The advisor's name.
    pub advisor: String,
    /// The hash of the settings that affect its answers.
    pub configuration: Sha256,
    /// The report's data.
    pub source: ReportSource,
    /// The calls that a person decided and that the advisor was asked about.
    pub cases: u64,
    /// The calls on which the advisor and the person decided alike.
    pub agreed: u64,
    /// The calls that the advisor would allow and a person denied.
    pub false_allows: u64,
    /// The calls that the advisor would deny and a person allowed.
    pub false_denials: u64,
    /// The calls that the advisor left to people, including those it failed on.
    pub asked: u64,
    /// The calls on which the advisor failed to answer.
    #[serde(default)]
    pub failed: u64,
    /// The time of all answers together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_millis: Option<u64>,
    /// The tokens of all answers together, if the advisor counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<AdviceTokens>,
    /// The report covers calls proposed after the event with this `seq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// The report covers the log up to the event with this `seq`.
    pub up_to: i64,
}

impl AdvisorReported {
    /// The calls that the advisor would have answered.
    #[must_use]
    pub const fn answered(&self) -> u64 {
        self.cases.saturating_sub(self.asked)
    }

    /// Returns true if the counts agree with each other.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        let parts = [self.agreed, self.false_allows, self.false_denials, self.asked];
        let sum = parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(*part));
        sum == Some(self.cases) && self.failed <= self.asked
    }
}

/// `ADVISOR_MODE_SET`: from here on, the advisor with this configuration may decide, or only advises. It never gives an
/// advisor more than the policy does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdvisorModeSet {
    /// The advisor's name.
    pub advisor: String,
    /// The hash of the settings that affect its answers.
    pub configuration: Sha256,
    /// `advise` or `decide`.
    pub mode: AdvisorMode,
    /// The reason for an automatic fall-back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the advisor decides although no report meets the policy thresholds, or after a fall-back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overrides: bool,
    /// The statement by the person who lets the advisor decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advisor_names_are_plain() {
        for name in ["reviewer", "opa-2", "A.b_c"] {
            assert!(is_advisor_name(name), "{name}");
        }
        for name in ["", "-a", "a b", "a:b", "ä", &"a".repeat(65)] {
            assert!(!is_advisor_name(name), "{name}");
        }
    }

    #[test]
    fn report_counts_must_agree() {
        let report = AdvisorReported {
            advisor: "reviewer".to_owned(),
            configuration: Sha256::digest(b""),
            source: ReportSource::Replay,
            cases: 10,
            agreed: 5,
            false_allows: 1,
            false_denials: 1,
            asked: 3,
            failed: 2,
            elapsed_millis: None,
            tokens: None,
            after: None,
            up_to: 7,
        };
        assert!(report.is_consistent());
        assert_eq!(report.answered(), 7);
        assert!(!AdvisorReported { cases: 11, ..report.clone() }.is_consistent());
        assert!(!AdvisorReported { failed: 4, ..report.clone() }.is_consistent());
        assert!(!AdvisorReported { agreed: u64::MAX, ..report }.is_consistent());
    }
}
