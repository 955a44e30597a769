//! What advisors and people say about a call: advice before the decision, complaints after it.

use crate::{
    AdviceFailure, AdviceTokens, AdviceVerdict, AdvisorMode, CallId, ErasedTexts, Sha256, json::ExactDecimal,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// The maximum number of decimal places in a confidence.
const MAX_CONFIDENCE_DIGITS: usize = 9;

/// `TOOL_APPROVAL_ADVICE`: the advisor answer to the question about one call. A call has at most one advice per
/// advisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAdvice {
    /// The call.
    pub tool_call_id: CallId,
    /// The advisor's name.
    pub advisor: String,
    /// The advisor's mode when the advice was recorded. An unproven advisor in `decide` mode has `advise`.
    pub mode: AdvisorMode,
    /// The hash of the settings that affect its answers.
    pub configuration: Sha256,
    /// The answer.
    pub advice: AdviceVerdict,
    /// The reason that the advisor gives. The writer has masked the secrets that it knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How sure the advisor is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Short labels from the advisor about the call.
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
    /// Whether the answer to an earlier equal question was used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// SHA-256 of the canonical form of the arguments that the advisor was asked about.
    pub arguments_hash: Sha256,
    /// The hash of the policy that configured the advisor.
    pub policy: Sha256,
    /// The hashes of erased content, if any was erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
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
    /// The hashes of erased content, if any was erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}

/// How sure an advisor is: an exact decimal from 0 to 1 with at most nine digits after the point, in its shortest form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confidence(ExactDecimal);

/// The string is not a confidence.
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
}
