//! The REST API of the Open Policy Agent: `POST /v1/data/PATH` with `{"input": the question}`. The result is a boolean, a
//! word, or an object.

use crate::{
    access::AdvisorAccess,
    answer::{AdviceAnswer, MAX_ANSWER_BYTES, MAX_LABELS, read_object},
    fault::AdviceFault,
    question::AdviceQuestion,
    service::{ServiceTarget, post_json},
};
use countersign_events::event::{AdviceFailure, AdviceVerdict, Confidence};
use serde::Deserialize;
use serde_json::Value;

/// The longest id of a decision that becomes a label, in bytes.
const MAX_DECISION_ID: usize = 48;

/// The answer of the server. It may have further members, such as `metrics`.
#[derive(Deserialize)]
struct OpaResponse {
    #[serde(default, deserialize_with = "read_result")]
    result: OpaResult,
    #[serde(default)]
    decision_id: Option<String>,
}

/// The result of the query. `{"result": null}` differs from an answer without a result.
#[derive(Default)]
enum OpaResult {
    #[default]
    Undefined,
    Defined(Value),
}

/// A result that is an object. It may be the whole document of a package, so further members are ignored.
#[derive(Deserialize)]
struct OpaObject {
    #[serde(default)]
    advice: Option<String>,
    #[serde(default)]
    allow: Option<bool>,
    /// A boolean, or the messages of all rules that deny.
    #[serde(default)]
    deny: Option<DenyValue>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    confidence: Option<Confidence>,
    #[serde(default)]
    labels: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum DenyValue {
    Is(bool),
    Messages(Vec<String>),
}

fn read_result<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<OpaResult, D::Error> {
    Value::deserialize(deserializer).map(OpaResult::Defined)
}

pub(crate) async fn ask_opa(
    access: &AdvisorAccess,
    service: ServiceTarget<'_>,
    question: &AdviceQuestion,
) -> Result<AdviceAnswer, AdviceFault> {
    let body = format!("{{\"input\":{}}}", question.to_json()?.as_str());
    parse_response(&post_json(access, service, body, MAX_ANSWER_BYTES).await?)
}

fn parse_response(bytes: &[u8]) -> Result<AdviceAnswer, AdviceFault> {
    let response: OpaResponse = read_object(bytes)?;
    let mut answer = match response.result {
        OpaResult::Undefined => {
            let detail = "the policy of the advisor has no result for this call";
            return Err(AdviceFault::new(AdviceFailure::Undefined, detail));
        }
        OpaResult::Defined(result) => read_value(result)?,
    };
    let is_plain =
        |id: &String| id.len() <= MAX_DECISION_ID && id.bytes().all(|byte| byte.is_ascii_graphic());
    // The labels of the policy come first.
    let has_room = answer.labels.len() < MAX_LABELS;
    let decision = response.decision_id.filter(|id| has_room && is_plain(id));
    answer.labels.extend(decision.map(|id| format!("decision_id:{id}")));
    answer.checked()
}

fn read_value(result: Value) -> Result<AdviceAnswer, AdviceFault> {
    match result {
        Value::Bool(allow) => Ok(AdviceAnswer::new(word_of(allow))),
        Value::String(word) => read_word(&word).map(AdviceAnswer::new),
        Value::Object(_) => {
            let object: OpaObject = serde_json::from_value(result)
                .map_err(|_| AdviceFault::malformed("a member of the result has the wrong type"))?;
            read_members(object)
        }
        Value::Null | Value::Number(_) | Value::Array(_) => {
            Err(AdviceFault::malformed("the result is not a boolean, a word or an object"))
        }
    }
}

fn read_members(object: OpaObject) -> Result<AdviceAnswer, AdviceFault> {
    let messages = match &object.deny {
        Some(DenyValue::Messages(messages)) => messages.join("; "),
        _ => String::new(),
    };
    let denies = object.deny.as_ref().map(|deny| match deny {
        DenyValue::Is(denies) => *denies,
        DenyValue::Messages(messages) => !messages.is_empty(),
    });
    let word = object.advice.as_deref().map(read_word).transpose()?;
    if word.is_none() && object.allow.is_none() && denies.is_none() {
        return Err(AdviceFault::malformed("the result has neither advice, nor allow, nor deny"));
    }
    // The strictest member counts: a policy that both allows and denies denies.
    let is_refused = object.allow == Some(false);
    let is_denied = word == Some(AdviceVerdict::Deny)
        || denies == Some(true)
        || (is_refused && word.is_none() && denies.is_none());
    let says_allow = word.map_or(object.allow == Some(true), |word| word == AdviceVerdict::Allow);
    let advice = match (is_denied, says_allow && !is_refused) {
        (true, _) => AdviceVerdict::Deny,
        (false, true) => AdviceVerdict::Allow,
        (false, false) => AdviceVerdict::Ask,
    };
    Ok(AdviceAnswer {
        advice,
        reason: object.reason.or(Some(messages)),
        confidence: object.confidence,
        labels: object.labels.unwrap_or_default(),
        tokens: None,
    })
}

const fn word_of(allow: bool) -> AdviceVerdict {
    if allow { AdviceVerdict::Allow } else { AdviceVerdict::Deny }
}

fn read_word(word: &str) -> Result<AdviceVerdict, AdviceFault> {
    word.parse().map_err(|_| AdviceFault::malformed("the result is not \"allow\", \"deny\" or \"ask\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<AdviceAnswer, AdviceFault> {
        parse_response(text.as_bytes())
    }

    fn advice(text: &str) -> &'static str {
        parse(text).expect(text).advice.as_str()
    }

    /// The answers in the documentation of the REST API of the Open Policy Agent ("Get a Document (with Input)" and
    /// "Decision Logs").
    #[test]
    fn documented_answers_are_read() {
        assert_eq!(advice(r#"{"result": true}"#), "allow");
        assert_eq!(advice(r#"{"result": false}"#), "deny");
        assert_eq!(parse("{}").expect_err("undefined").failure, AdviceFailure::Undefined);
        let logged = r#"{"decision_id": "1b9cb8c2-4b3a-4b4f-9e4b-2f4d5d0f9c1a", "result": true}"#;
        let answer = parse(logged).expect("an answer");
        assert_eq!(answer.labels, ["decision_id:1b9cb8c2-4b3a-4b4f-9e4b-2f4d5d0f9c1a"]);
        let measured = r#"{"metrics": {"timer_rego_query_compile_ns": 69994, "timer_rego_query_eval_ns": 48425,
            "timer_rego_query_parse_ns": 4096}, "result": {"allow": true}}"#;
        assert_eq!(advice(measured), "allow");
        let undefined = parse(
            r#"{"decision_id": "x", "warning": {"code": "api_usage_warning", "message": "'input' key missing from the request"}}"#,
        );
        assert_eq!(undefined.expect_err("undefined").failure, AdviceFailure::Undefined);
    }

    #[test]
    fn words_are_read() {
        for word in ["allow", "deny", "ask"] {
            assert_eq!(advice(&format!(r#"{{"result": "{word}"}}"#)), word);
        }
    }

    #[test]
    fn strictest_member_of_object_counts() {
        for (object, expected) in [
            (r#"{"allow": true}"#, "allow"),
            (r#"{"allow": false}"#, "deny"),
            (r#"{"deny": true}"#, "deny"),
            (r#"{"deny": false}"#, "ask"),
            (r#"{"allow": true, "deny": true}"#, "deny"),
            (r#"{"allow": true, "deny": false}"#, "allow"),
            (r#"{"allow": false, "deny": false}"#, "ask"),
            (r#"{"allow": true, "deny": []}"#, "allow"),
            (r#"{"allow": true, "deny": ["it deletes"]}"#, "deny"),
            (r#"{"deny": []}"#, "ask"),
            (r#"{"advice": "ask", "allow": true}"#, "ask"),
            (r#"{"advice": "allow", "allow": false}"#, "ask"),
            (r#"{"advice": "allow", "deny": true}"#, "deny"),
            (r#"{"advice": "deny", "allow": true}"#, "deny"),
            (r#"{"advice": "allow", "helper": {"x": 1}}"#, "allow"),
        ] {
            assert_eq!(advice(&format!(r#"{{"result": {object}}}"#)), expected, "{object}");
        }
    }

    #[test]
    fn reason_confidence_and_labels_are_read() {
        let answer = parse(r#"{"result": {"deny": ["a", "b"], "labels": ["risky"], "confidence": 0.5}}"#);
        let answer = answer.expect("an answer");
        assert_eq!(answer.reason.as_deref(), Some("a; b"));
        assert_eq!(answer.labels, ["risky"]);
        assert!(answer.confidence.is_some());
        let answer = parse(r#"{"result": {"allow": true, "reason": "fine"}}"#).expect("an answer");
        assert_eq!(answer.reason.as_deref(), Some("fine"));
    }

    #[test]
    fn decision_id_displaces_no_label() {
        let labels: Vec<_> = (0..MAX_LABELS).map(|number| format!("label-{number}")).collect();
        let text = serde_json::json!({"decision_id": "d1", "result": {"allow": true, "labels": labels}});
        assert_eq!(parse(&text.to_string()).expect("an answer").labels, labels);
    }

    #[test]
    fn malformed_result_is_rejected() {
        for result in [
            "null",
            "1",
            "[]",
            "[true]",
            "\"yes\"",
            "\"\"",
            "{}",
            r#"{"allow": "true"}"#,
            r#"{"allow": 1}"#,
            r#"{"deny": "x"}"#,
            r#"{"deny": {"x": true}}"#,
            r#"{"advice": "yes"}"#,
            r#"{"helper": true}"#,
            r#"{"allow": true, "reason": 1}"#,
            r#"{"allow": true, "confidence": 2}"#,
        ] {
            let fault = parse(&format!(r#"{{"result": {result}}}"#)).expect_err(result);
            assert_eq!(fault.failure.as_str(), "malformed", "{result}");
        }
        for text in ["", "true", "[]", r#"{"result": true, "result": false}"#, "{\"result\": tru"] {
            assert_eq!(parse(text).expect_err(text).failure.as_str(), "malformed", "{text}");
        }
        let deep = format!(r#"{{"result": {}{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
        assert_eq!(parse(&deep).expect_err("deep").failure.as_str(), "malformed");
    }
}
