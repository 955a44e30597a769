//! Advisors: programs that the policy asks about calls before people decide. Every statement of an advisor is an event.

use super::{AdviceFailure, AdviceVerdict, AdvisorMode, ErasedTexts, ReportSource};
use crate::{CallId, Sha256, json::ExactDecimal};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// The longest name of an advisor, in bytes.
const MAX_ADVISOR_NAME_BYTES: usize = 64;

/// The most digits of a confidence after the point.
const MAX_CONFIDENCE_DIGITS: usize = 9;

/// True if an advisor may have the name: ASCII letters, digits, `-`, `_` and `.`, at most 64.
#[must_use]
pub fn is_advisor_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=MAX_ADVISOR_NAME_BYTES).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_plain)
}

/// `TOOL_APPROVAL_ADVICE`: the answer of an advisor to the question about one call. A call has at most one of each advisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAdvice {
    /// The call.
    pub tool_call_id: CallId,
    /// The name of the advisor.
    pub advisor: String,
    /// The mode of the advisor when the advice was recorded. An advisor of the mode `decide` that is not proven has
    /// `advise`.
    pub mode: AdvisorMode,
    /// The hash of the settings on which its answers depend.
    pub configuration: Sha256,
    /// The answer.
    pub advice: AdviceVerdict,
    /// The reason that the advisor gives. The writer has masked the secrets that it knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How sure the advisor is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Short words of the advisor about the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The reason why there is no valid answer. The advice is then `ask`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<AdviceFailure>,
    /// The time from the question to the answer.
    pub elapsed_millis: u64,
    /// The tokens that the advisor counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<AdviceTokens>,
    /// True if the answer to an earlier equal question was used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// SHA-256 of the canonical form of the arguments that the advisor was asked about.
    pub arguments_hash: Sha256,
    /// The hash of the policy whose settings the advisor had.
    pub policy: Sha256,
    /// The hashes of erased texts, if they were erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}

/// The tokens that the model of an advisor counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"input": 812, "output": 41}))))]
#[serde(rename_all = "camelCase")]
pub struct AdviceTokens {
    /// The tokens of the question.
    pub input: u64,
    /// The tokens of the answer.
    pub output: u64,
}

/// `CALL_FLAGGED`: a person complains that the call was allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFlagged {
    /// The call.
    pub tool_call_id: CallId,
    /// The complaint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The hashes of erased texts, if they were erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}

/// `ADVISOR_REPORTED`: the answers of an advisor were compared with the decisions of people on the same calls.
/// `cases` is the sum of `agreed`, `false_allows`, `false_denials` and `asked`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AdvisorReported {
    /// The name of the advisor.
    pub advisor: String,
    /// The hash of the settings on which its answers depend.
    pub configuration: Sha256,
    /// The data of the report.
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

    /// True if the counts agree with each other.
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
    /// The name of the advisor.
    pub advisor: String,
    /// The hash of the settings on which its answers depend.
    pub configuration: Sha256,
    /// `advise` or `decide`.
    pub mode: AdvisorMode,
    /// The reason of an automatic fall-back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if the advisor decides although no report meets the thresholds of the policy, or after a fall-back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overrides: bool,
    /// The statement of the person who lets the advisor decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
}

/// How sure an advisor is: an exact decimal from 0 to 1 with at most nine digits after the point, in its shortest form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confidence(ExactDecimal);

/// The text is not a confidence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a confidence is a number from 0 to 1 with at most {MAX_CONFIDENCE_DIGITS} digits after the point, not {0:?}"
)]
pub struct InvalidConfidence(pub String);

impl Confidence {
    /// The value.
    #[must_use]
    pub const fn value(&self) -> &ExactDecimal {
        &self.0
    }
}

impl FromStr for Confidence {
    type Err = InvalidConfidence;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidConfidence(text.chars().take(40).collect());
        let value = ExactDecimal::parse(text).ok_or_else(invalid)?;
        let (zero, one) = (ExactDecimal::from_count(0), ExactDecimal::from_count(1));
        let is_valid = value >= zero && value <= one && value.fraction_digits() <= MAX_CONFIDENCE_DIGITS;
        if is_valid { Ok(Self(value)) } else { Err(invalid()) }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: serde_json::Number =
            self.0.to_string().parse().map_err(<S::Error as serde::ser::Error>::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Number::deserialize(deserializer)?.to_string().parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_keeps_its_decimal_digits() {
        for (text, kept) in [
            ("0.9", "0.9"),
            ("1.0", "1"),
            ("0", "0"),
            ("9.5e-1", "0.95"),
            ("0.0000001", "1e-7"),
            ("0.123456789", "0.123456789"),
        ] {
            let read: Confidence = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&read).expect("a number"), kept);
        }
        for text in ["1.01", "-0.1", "2", "0.1234567891", "1e-10", "\"0.5\"", "null"] {
            assert!(serde_json::from_str::<Confidence>(text).is_err(), "{text}");
        }
    }

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
