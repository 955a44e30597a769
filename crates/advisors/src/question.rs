//! The question to an advisor: a JSON document with the call, a summary of its thread and the policy verdict. Secrets
//! are masked. Everything in the call and the thread was written by an agent or a tool, so it is untrusted.

use crate::{facts::KnownFacts, fault::AdviceFault, shortened_text::shorten};
use countersign_api as api;
use countersign_events::{
    Basis, Decision, Json, Place, Principal, Sha256, Source, Status, ThreadId, Timestamp, ToolName,
};
use countersign_policy::QuestionFormat;
use countersign_redaction::Redactor;
use serde::Serialize;

/// The most bytes of a question. Arguments are never shortened, because an advisor must not judge a part of them.
pub const MAX_QUESTION_BYTES: usize = 256 * 1024;

/// The most earlier calls of the thread in a question.
pub const RECENT_CALLS: usize = 10;

/// The most characters of an earlier call's arguments.
const MAX_RECENT_ARGUMENTS: usize = 500;

/// The question to an advisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdviceQuestion {
    /// The version of this document.
    version: u32,
    call: QuestionCall,
    thread: QuestionThread,
    verdict: QuestionVerdict,
    /// What an advisor knows that knows only facts. No other one gets them.
    #[serde(skip)]
    facts: Option<KnownFacts>,
}

/// The call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionCall {
    thread_id: ThreadId,
    id: api::CallId,
    tool: ToolName,
    agent: Principal,
    proposed_at: Timestamp,
    arguments: Json,
    /// The hash of the unmasked arguments.
    arguments_hash: Sha256,
    redacted: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    definition_hash: Option<Sha256>,
    hidden_characters: Vec<String>,
    mixed_scripts: Vec<String>,
}

/// The thread's summary, as it was when people were asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionThread {
    /// The last calls before this one, the newest first.
    recent_calls: Vec<RecentCall>,
}

/// An earlier call of the thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct RecentCall {
    tool: ToolName,
    /// The start of the JSON arguments.
    arguments: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Status>,
}

/// The policy's verdict. It is `ask`, because an advisor is asked about nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionVerdict {
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    basis: Option<Basis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    reason: String,
    policy: Sha256,
}

/// The part of a question on which a cached answer depends: everything except ids, times and the thread history.
#[derive(Serialize)]
struct CachedPart<'a> {
    thread: &'a ThreadId,
    agent: &'a Principal,
    tool: &'a ToolName,
    arguments: &'a Json,
    arguments_hash: &'a Sha256,
    place: Option<&'a Place>,
    description: Option<&'a str>,
    impact: Option<&'a Json>,
    annotations: Option<&'a Json>,
    tool_description: Option<&'a str>,
    definition_hash: Option<&'a Sha256>,
    verdict: &'a QuestionVerdict,
}

impl AdviceQuestion {
    /// Makes the question about a call for which people were asked. `earlier` are calls of its thread that were
    /// proposed before it, the newest first; at most [`RECENT_CALLS`] are used, and what happened to them after the
    /// request is left out, so that a question can be repeated later. Fails if the question is too large, or the call
    /// content was erased or archived.
    pub fn from_call(
        call: &api::Call,
        earlier: &[api::Call],
        redactor: &Redactor,
    ) -> Result<Self, AdviceFault> {
        let Some(request) = &call.request else {
            return Err(AdviceFault::failed("people were not asked about the call"));
        };
        if call.erased.is_some() || call.archived.is_some() {
            return Err(AdviceFault::failed("the call content was erased"));
        }
        let earlier = earlier.iter().filter(|before| before.proposal.seq < call.proposal.seq);
        let recent = earlier.take(RECENT_CALLS).map(|before| RecentCall::new(before, request.seq, redactor));
        let question = Self {
            version: QuestionFormat::CURRENT.version,
            call: QuestionCall::new(call, redactor),
            thread: QuestionThread { recent_calls: recent.collect() },
            verdict: QuestionVerdict {
                verdict: "ask",
                basis: request.basis,
                rule: request.rule.clone(),
                reason: mask_text(redactor, &request.reason),
                policy: request.policy,
            },
            facts: None,
        };
        let bytes = question.to_json()?.as_str().len();
        if bytes > MAX_QUESTION_BYTES {
            return Err(AdviceFault::too_large(format!(
                "the question has {bytes} bytes; the limit is {MAX_QUESTION_BYTES}"
            )));
        }
        Ok(question)
    }

    /// The question with the facts.
    pub(crate) fn knowing(self, facts: KnownFacts) -> Self {
        Self { facts: Some(facts), ..self }
    }

    /// The facts. Fails if they were not read.
    pub(crate) fn facts(&self) -> Result<&KnownFacts, AdviceFault> {
        self.facts.as_ref().ok_or_else(|| AdviceFault::failed("the facts about the call were not read"))
    }

    /// The document.
    pub fn to_json(&self) -> Result<Json, AdviceFault> {
        Json::encode(self).map_err(|_| AdviceFault::failed("the question cannot be written"))
    }

    /// The hash of the arguments that the advice is about.
    #[must_use]
    pub fn arguments_hash(&self) -> Sha256 {
        self.call.arguments_hash
    }

    /// The hash of the asking policy.
    #[must_use]
    pub fn policy(&self) -> Sha256 {
        self.verdict.policy
    }

    /// The question hash, without ids, times and the thread history. Two calls with the same hash are the same
    /// question.
    pub fn canonical_hash(&self) -> Result<Sha256, AdviceFault> {
        let call = &self.call;
        let part = CachedPart {
            thread: &call.thread_id,
            agent: &call.agent,
            tool: &call.tool,
            arguments: &call.arguments,
            arguments_hash: &call.arguments_hash,
            place: call.place.as_ref(),
            description: call.description.as_deref(),
            impact: call.impact.as_ref(),
            annotations: call.annotations.as_ref(),
            tool_description: call.tool_description.as_deref(),
            definition_hash: call.definition_hash.as_ref(),
            verdict: &self.verdict,
        };
        let json = Json::encode(&part).ok().and_then(|json| json.canonical_hash().ok());
        json.ok_or_else(|| AdviceFault::failed("the question has no canonical form"))
    }
}

impl QuestionCall {
    fn new(call: &api::Call, redactor: &Redactor) -> Self {
        let (arguments, masked) = mask_json(redactor, &call.arguments);
        let mut redacted = call.redacted.clone();
        redacted.extend(masked);
        redacted.sort_unstable();
        redacted.dedup();
        let masked = |json: &Option<Json>| json.as_ref().map(|json| mask_json(redactor, json).0);
        let text = |text: &Option<String>| text.as_deref().map(|text| mask_text(redactor, text));
        Self {
            thread_id: call.thread_id.clone(),
            id: call.id.clone(),
            tool: call.name.clone(),
            agent: call.proposal.principal.clone(),
            proposed_at: call.proposal.at,
            arguments,
            arguments_hash: call.arguments_hash,
            redacted,
            place: call.place.as_ref().map(|place| place.masked(|text| redactor.redact_text(text))),
            description: text(&call.description),
            impact: masked(&call.impact),
            annotations: masked(&call.annotations),
            tool_description: call.definition.as_ref().and_then(|definition| text(&definition.description)),
            definition_hash: call.definition_hash,
            hidden_characters: call.hidden_characters.clone(),
            mixed_scripts: call.mixed_scripts.clone(),
        }
    }
}

impl RecentCall {
    fn new(call: &api::Call, asked: i64, redactor: &Redactor) -> Self {
        let (arguments, _) = mask_json(redactor, &call.arguments);
        let response = call.response.as_ref().filter(|response| response.seq < asked);
        Self {
            tool: call.name.clone(),
            arguments: shorten(arguments.as_str(), MAX_RECENT_ARGUMENTS),
            decision: response.map(|response| response.decision),
            source: response.map(|response| response.source),
            result: call.result.as_ref().filter(|result| result.seq < asked).map(|result| result.status),
        }
    }
}

/// Masks secrets again: the policy may have learned of new ones since the call was written.
fn mask_json(redactor: &Redactor, json: &Json) -> (Json, Vec<String>) {
    match redactor.redact_json(json) {
        Some(masked) => (masked.json, masked.pointers),
        None => (json.clone(), Vec::new()),
    }
}

fn mask_text(redactor: &Redactor, text: &str) -> String {
    redactor.redact_text(text).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::{Value, json};

    pub(crate) fn call(arguments: &Value) -> api::Call {
        call_with(arguments, &json!({}))
    }

    /// A pending call with further members.
    pub(crate) fn call_with(arguments: &Value, more: &Value) -> api::Call {
        let mut call = json!({
            "threadId": "t1", "id": "call_1", "name": "bash", "state": "pending", "arguments": arguments,
            "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
            "proposal": {"seq": 5, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"},
            "request": {"seq": 6, "requestedAt": "2026-01-31T12:00:00.000Z", "options": ["allow_once", "deny"],
                "reason": "no rule matches this call", "basis": "default",
                "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"}
        });
        for (key, value) in more.as_object().expect("an object") {
            call[key.as_str()] = value.clone();
        }
        serde_json::from_value(call).expect("a call")
    }

    pub(crate) fn question(arguments: &Value) -> AdviceQuestion {
        AdviceQuestion::from_call(&call(arguments), &[], &Redactor::default()).expect("a question")
    }

    fn document(question: &AdviceQuestion) -> Value {
        question.to_json().expect("JSON").read().expect("JSON")
    }

    #[test]
    fn question_has_call_thread_and_verdict() {
        let found = document(&question(&json!({"command": "ls"})));
        let expected = json!({
            "version": 1,
            "call": {
                "threadId": "t1", "id": "call_1", "tool": "bash", "agent": "agent:builder",
                "proposedAt": "2026-01-31T12:00:00.000Z", "arguments": {"command": "ls"},
                "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
                "redacted": [], "hiddenCharacters": [], "mixedScripts": []
            },
            "thread": {"recentCalls": []},
            "verdict": {
                "verdict": "ask", "basis": "default", "reason": "no rule matches this call",
                "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
            }
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn secrets_are_masked_in_every_text() {
        let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
        let more = json!({
            "description": format!("use {secret}"), "impact": {"message": secret}, "annotations": {"title": secret},
            "definition": {"description": format!("needs {secret}")}
        });
        let call = call_with(&json!({"password": "hunter2", "command": format!("curl -H {secret}")}), &more);
        let before = call_with(
            &json!({"token": secret}),
            &json!({"proposal": {"seq": 1, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"}}),
        );
        let question = AdviceQuestion::from_call(&call, &[before], &Redactor::default()).expect("a question");
        let text = question.to_json().expect("JSON");
        assert!(!text.as_str().contains("ghp_") && !text.as_str().contains("hunter2"), "{text:?}");
        assert_eq!(document(&question)["call"]["redacted"], json!(["/command", "/password"]));
    }

    #[test]
    fn history_ends_where_the_question_begins() {
        let before = |seq: i64, decided: i64| {
            call_with(
                &json!({"command": "x".repeat(2_000)}),
                &json!({
                    "proposal": {"seq": seq, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"},
                    "response": {"seq": decided, "decision": "deny", "source": "approver",
                        "principal": "user:ada", "at": "2026-01-31T12:00:00.000Z",
                        "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"}
                }),
            )
        };
        let earlier = [before(9, 10), before(3, 8), before(1, 2)];
        let call = call(&json!({}));
        let question = AdviceQuestion::from_call(&call, &earlier, &Redactor::default()).expect("a question");
        let recent = document(&question)["thread"]["recentCalls"].clone();
        assert_eq!(recent.as_array().map(Vec::len), Some(2), "a later call is left out");
        assert_eq!(recent[0]["decision"], Value::Null, "decided after the request");
        assert_eq!(recent[1]["decision"], "deny");
        assert_eq!(recent[0]["arguments"].as_str().map(|text| text.chars().count()), Some(500));
        let many: Vec<_> = (0..50).map(|_| before(1, 2)).collect();
        let question = AdviceQuestion::from_call(&call, &many, &Redactor::default()).expect("a question");
        assert_eq!(document(&question)["thread"]["recentCalls"].as_array().map(Vec::len), Some(RECENT_CALLS));
    }

    #[test]
    fn large_arguments_are_not_shortened() {
        let call = call(&json!({"command": "x".repeat(MAX_QUESTION_BYTES)}));
        let fault = AdviceQuestion::from_call(&call, &[], &Redactor::default()).expect_err("too large");
        assert_eq!(fault.failure.as_str(), "too_large");
    }

    #[test]
    fn erased_call_is_not_asked_about() {
        let erased = json!({"erased": {"seq": 9, "principal": "user:zoe", "at": "2026-01-31T12:10:00.000Z", "reason": "x"}});
        let call = call_with(&Value::Null, &erased);
        assert!(AdviceQuestion::from_call(&call, &[], &Redactor::default()).is_err());
    }

    #[test]
    fn same_question_has_the_same_hash() {
        let hash = |more: Value| {
            let call = call_with(&json!({"command": "ls"}), &more);
            let question = AdviceQuestion::from_call(&call, &[], &Redactor::default()).expect("a question");
            question.canonical_hash().expect("a hash")
        };
        let first = hash(json!({}));
        assert_eq!(first, hash(json!({"id": "call_2"})));
        let later =
            json!({"proposal": {"seq": 5, "principal": "agent:builder", "at": "2026-02-01T12:00:00.000Z"}});
        assert_eq!(first, hash(later));
        let hidden_secret = "5cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";
        for other in [
            json!({"threadId": "t2"}),
            json!({"name": "sh"}),
            json!({"description": "x"}),
            json!({"impact": {"message": "x"}}),
            json!({"argumentsHash": hidden_secret}),
            json!({"proposal": {"seq": 5, "principal": "agent:other", "at": "2026-01-31T12:00:00.000Z"}}),
        ] {
            assert_ne!(first, hash(other.clone()), "{other}");
        }
    }
}
