//! Advisor answers in Countersign's own protocol.

use crate::{fault::AdviceFault, shortened_text::shorten};
use countersign_events::{AdviceTokens, AdviceVerdict, Confidence};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::error::Category;

/// The most bytes of an answer.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// The longest reason, in characters. A longer one is cut.
const MAX_REASON: usize = 1_000;

/// The most labels, and the longest label in bytes.
const MAX_LABELS: usize = 16;
const MAX_LABEL: usize = 64;

/// The most tokens of a question or an answer: the largest whole number that every reader of JSON keeps exactly.
const MAX_TOKENS: u64 = (1 << 53) - 1;

/// An advisor answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdviceAnswer {
    /// `allow`, `deny` or `ask`.
    pub advice: AdviceVerdict,
    /// The reason, for people.
    pub reason: Option<String>,
    /// How sure the advisor is.
    pub confidence: Option<Confidence>,
    /// A short comment on the call.
    pub labels: Vec<String>,
    /// The tokens that a model used.
    pub tokens: Option<AdviceTokens>,
}

/// The members of an answer. An unknown member is an error: it may be a condition that this version does not know.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerDocument {
    #[serde(deserialize_with = "read_advice")]
    advice: AdviceVerdict,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    confidence: Option<Confidence>,
    #[serde(default)]
    labels: Option<Vec<String>>,
    #[serde(default)]
    tokens: Option<TokensDocument>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokensDocument {
    input: u64,
    output: u64,
}

impl AdviceAnswer {
    /// An answer without a reason.
    #[cfg(test)]
    pub(crate) fn new(advice: AdviceVerdict) -> Self {
        Self { advice, reason: None, confidence: None, labels: Vec::new(), tokens: None }
    }

    /// Reads an answer.
    pub fn parse(bytes: &[u8]) -> Result<Self, AdviceFault> {
        if bytes.len() > MAX_ANSWER_BYTES {
            return Err(too_large());
        }
        let document: AnswerDocument = read_object(bytes)?;
        let tokens =
            document.tokens.map(|tokens| AdviceTokens { input: tokens.input, output: tokens.output });
        let answer = Self {
            advice: document.advice,
            reason: document.reason,
            confidence: document.confidence,
            labels: document.labels.unwrap_or_default(),
            tokens,
        };
        answer.checked()
    }

    /// Cuts the reason, and checks the labels and the tokens.
    pub(crate) fn checked(self) -> Result<Self, AdviceFault> {
        if self.tokens.is_some_and(|tokens| tokens.input.max(tokens.output) > MAX_TOKENS) {
            return Err(AdviceFault::malformed(format!("the number of tokens is more than {MAX_TOKENS}")));
        }
        let is_label =
            |label: &String| (1..=MAX_LABEL).contains(&label.len()) && !label.contains(char::is_control);
        if self.labels.len() > MAX_LABELS || !self.labels.iter().all(is_label) {
            return Err(AdviceFault::malformed(format!(
                "an answer has at most {MAX_LABELS} labels of 1 to {MAX_LABEL} bytes without control characters"
            )));
        }
        let reason = self.reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        Ok(Self { reason: reason.map(|reason| shorten(&reason, MAX_REASON)), ..self })
    }
}

/// Reads a JSON object. The derived readers would also take an array, with the members in their order.
pub(crate) fn read_object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, AdviceFault> {
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(AdviceFault::malformed("the answer is not a JSON object"));
    }
    serde_json::from_slice(bytes).map_err(|why| unreadable(&why))
}

/// Describes an answer that cannot be read without repeating a part of it, which may be a secret.
fn unreadable(why: &serde_json::Error) -> AdviceFault {
    let (line, column) = (why.line(), why.column());
    AdviceFault::malformed(match why.classify() {
        Category::Data => format!(
            "line {line}, column {column} of the answer: a member is missing, unknown, repeated or of the wrong type"
        ),
        Category::Syntax | Category::Eof | Category::Io => {
            format!("line {line}, column {column} of the answer: it is not JSON")
        }
    })
}

pub(crate) fn too_large() -> AdviceFault {
    AdviceFault::too_large(format!("the answer has more than {MAX_ANSWER_BYTES} bytes"))
}

/// Reads an enumeration value: a value that only newer versions know is an error.
pub(crate) fn read_advice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AdviceVerdict, D::Error> {
    let word = String::deserialize(deserializer)?;
    word.parse().map_err(|_| serde::de::Error::custom("advice must be \"allow\", \"deny\" or \"ask\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> &'static str {
        AdviceAnswer::parse(text.as_bytes()).expect_err(text).failure.as_str()
    }

    #[test]
    fn whole_answer_is_read() {
        let text = r#"{"advice": "deny", "reason": " it deletes ", "confidence": 0.95, "labels": ["risky"],
            "tokens": {"input": 812, "output": 41}}"#;
        let answer = AdviceAnswer::parse(text.as_bytes()).expect("an answer");
        assert_eq!(answer.advice, AdviceVerdict::Deny);
        assert_eq!(answer.reason.as_deref(), Some("it deletes"));
        assert_eq!(answer.confidence.map(|confidence| confidence.to_string()).as_deref(), Some("0.95"));
        assert_eq!(answer.labels, ["risky"]);
        assert_eq!(answer.tokens, Some(AdviceTokens { input: 812, output: 41 }));
    }

    #[test]
    fn only_the_advice_is_needed() {
        for (text, advice) in [
            (r#"{"advice":"allow"}"#, AdviceVerdict::Allow),
            (
                r#"{"advice":"ask","reason":null,"labels":null,"confidence":null,"tokens":null}"#,
                AdviceVerdict::Ask,
            ),
        ] {
            assert_eq!(AdviceAnswer::parse(text.as_bytes()), Ok(AdviceAnswer::new(advice)), "{text}");
        }
    }

    #[test]
    fn malformed_answer_is_rejected() {
        for text in [
            "",
            "allow",
            "\"allow\"",
            "null",
            "[]",
            r#"["allow"]"#,
            "{}",
            r#"{"advice":"ALLOW"}"#,
            r#"{"advice":"allow "}"#,
            r#"{"advice":"other"}"#,
            r#"{"advice":"yes"}"#,
            r#"{"advice":["allow"]}"#,
            r#"{"advice":"allow","advice":"deny"}"#,
            r#"{"advice":"allow","unless":"friday"}"#,
            r#"{"advice":"allow","confidence":1.5}"#,
            r#"{"advice":"allow","confidence":"high"}"#,
            r#"{"advice":"allow","labels":["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q"]}"#,
            r#"{"advice":"allow","labels":[""]}"#,
            r#"{"advice":"allow","labels":["a\nb"]}"#,
            r#"{"advice":"allow","tokens":{"input":-1,"output":0}}"#,
            r#"{"advice":"allow"} {"advice":"deny"}"#,
            r#"{"advice":"allow"}x"#,
            "{\"advice\":\"allow\",\"reason\":\"\u{0}\"}",
        ] {
            assert_eq!(failure(text), "malformed", "{text}");
        }
        let deep = format!(r#"{{"advice":"allow","labels":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(failure(&deep), "malformed");
        assert_eq!(
            AdviceAnswer::parse(b"{\"advice\":\"\xff\"}").expect_err("text").failure.as_str(),
            "malformed"
        );
    }

    #[test]
    fn large_answer_is_rejected() {
        let text = format!(r#"{{"advice":"allow","reason":"{}"}}"#, "x".repeat(MAX_ANSWER_BYTES));
        assert_eq!(failure(&text), "too_large");
    }

    #[test]
    fn tokens_beyond_exact_numbers_are_rejected() {
        let text = |tokens: u64| format!(r#"{{"advice":"allow","tokens":{{"input":{tokens},"output":1}}}}"#);
        assert!(AdviceAnswer::parse(text(MAX_TOKENS).as_bytes()).is_ok());
        for tokens in [MAX_TOKENS + 1, u64::MAX] {
            assert_eq!(failure(&text(tokens)), "malformed");
        }
    }

    #[test]
    fn long_reason_is_cut() {
        let text = format!(r#"{{"advice":"allow","reason":"{}"}}"#, "ä".repeat(5_000));
        let reason = AdviceAnswer::parse(text.as_bytes()).expect("an answer").reason.expect("a reason");
        assert_eq!(reason.chars().count(), MAX_REASON);
    }
}
