//! The bodies of the Opey interface, whose names are in snake case.
//!
//! Sources: the approval document of Opey, and its client `RestChatService` (OpenBankProject/OBP-Portal, and since March 2026
//! OpenBankProject/OBP-Frontend).

use super::events::write_opey_confirmation;
use countersign_api::{
    BulkDecisionItem, BulkDecisionRequest, CallId, DecisionRequest, GateError, Json, MessagesRequest,
    ThreadId,
};
use countersign_events::{Decision, MessageFormat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A decision as a client of Opey sends it, or several in `batch_decisions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"tool_call_id": "call_1", "approval": "approve", "approval_level": "admin"})))]
#[serde(deny_unknown_fields)]
pub(crate) struct OpeyDecision {
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<CallId>,
    /// `approve` or `deny`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) approval: Option<OpeyWord>,
    /// The level at which the approver decides. `once` and `session` are no levels: `once` is what every approval is, and
    /// `session` allows the tool for the rest of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) approval_level: Option<String>,
    /// The same level, under the name that later clients use. Some send both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) level: Option<String>,
    /// Decisions on several calls instead, by call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, required = false)]
    pub(crate) batch_decisions: Option<BTreeMap<CallId, OpeyBatchDecision>>,
}

/// One of several decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"approved": true, "level": "once"})))]
#[serde(deny_unknown_fields)]
pub(crate) struct OpeyBatchDecision {
    /// Whether the call may run.
    pub(crate) approved: bool,
    /// The level, as in a single decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) level: Option<String>,
}

/// The words that Opey knows for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!("approve")))]
#[serde(rename_all = "snake_case")]
pub(crate) enum OpeyWord {
    /// The call may run.
    Approve,
    /// The call may not run.
    Deny,
}

/// What a person says in a chat, or the decisions that they make there.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "message": "", "thread_id": "conversation-7",
    "tool_call_approval": {"tool_call_id": "call_1", "approval": "approve", "level": "once"}
})))]
#[serde(deny_unknown_fields)]
pub(crate) struct OpeyStreamRequest {
    /// What the person says; empty with a decision.
    #[serde(default)]
    pub(crate) message: String,
    /// The thread; without one, the server chooses. The answer's header `X-Thread-ID` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) thread_id: Option<ThreadId>,
    /// The decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_approval: Option<OpeyDecision>,
    /// The client's id for its message, which `user_message_confirmed` repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) correlation_id: Option<String>,
    /// Without effect: a message is sent as one token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stream_tokens: Option<bool>,
}

impl std::fmt::Debug for OpeyStreamRequest {
    /// Leaves out the message, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpeyStreamRequest").field("thread_id", &self.thread_id).finish_non_exhaustive()
    }
}

/// The pending calls of a thread, the oldest request first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"pending": [{
    "type": "approval_request", "tool_call_id": "call_1", "tool_name": "bash", "tool_input": {"command": "ls"}
}]})))]
pub(crate) struct OpeyPendingList {
    /// The `approval_request` of each call.
    #[schema(value_type = Vec<Object>)]
    pub(crate) pending: Vec<Json>,
}

impl OpeyDecision {
    /// Returns true if the body has a level. Clients before October 2025 send none.
    pub(crate) const fn has_level(&self) -> bool {
        self.level.is_some() || self.approval_level.is_some() || self.batch_decisions.is_some()
    }

    /// The decisions that it means, in a thread.
    ///
    /// # Errors
    /// If it names two levels, if it is neither one decision nor several, or if it is both.
    pub(crate) fn into_decisions(self, thread: &ThreadId) -> Result<BulkDecisionRequest, GateError> {
        let item = |id, decision| BulkDecisionItem::new(thread.clone(), id, decision);
        let level = match (self.level, self.approval_level) {
            (Some(level), Some(other)) if level != other => {
                let why = format!("is {level:?}, and `approval_level` is {other:?}; they are one level");
                return Err(GateError::invalid("level", &why));
            }
            (level, other) => level.or(other),
        };
        let decisions = match (self.tool_call_id, self.approval, self.batch_decisions) {
            (Some(id), Some(word), None) => vec![item(id, decide(word == OpeyWord::Approve, level))],
            (None, None, Some(batch)) => {
                batch.into_iter().map(|(id, one)| item(id, decide(one.approved, one.level))).collect()
            }
            (None | Some(_), None, None) => return Err(GateError::invalid("approval", &"is missing")),
            (None, Some(_), None) => return Err(GateError::invalid("tool_call_id", &"is missing")),
            _ => {
                let why =
                    "stands beside `tool_call_id` or `approval`; a request makes one decision or several";
                return Err(GateError::invalid("batch_decisions", &why));
            }
        };
        let request = BulkDecisionRequest { decisions };
        request.check()?;
        Ok(request)
    }
}

/// The decision that an answer with a level means.
fn decide(is_approved: bool, level: Option<String>) -> DecisionRequest {
    let decision = match level.as_deref() {
        _ if !is_approved => DecisionRequest::plain(Decision::Deny),
        Some("session") => DecisionRequest::for_session(Json::string("tool")),
        _ => DecisionRequest::plain(Decision::AllowOnce),
    };
    let level = level.filter(|level| !matches!(level.as_str(), "once" | "session"));
    DecisionRequest { level, ..decision }
}

/// What a chat request does.
pub(crate) enum OpeyStep {
    /// It makes decisions.
    Decide(BulkDecisionRequest),
    /// It adds a message to the conversation.
    Say(MessagesRequest),
}

impl OpeyStreamRequest {
    /// Takes what the request does in its thread.
    ///
    /// # Errors
    /// If it does nothing, if it does both, or if its decisions cannot be read.
    pub(crate) fn read_step(&mut self, thread: &ThreadId) -> Result<OpeyStep, GateError> {
        let is_empty = self.message.trim().is_empty();
        match self.tool_call_approval.take() {
            Some(decision) if is_empty => decision.into_decisions(thread).map(OpeyStep::Decide),
            Some(_) => {
                Err(GateError::invalid("message", &"stands beside `tool_call_approval`; send it afterwards"))
            }
            None if is_empty => {
                Err(GateError::invalid("message", &"is empty, and there is no `tool_call_approval`"))
            }
            None => user_message(&self.message).map(OpeyStep::Say),
        }
    }

    /// Writes that the log has the message, if the client gave it an id.
    pub(crate) fn confirm(&self, seq: i64) -> Option<Json> {
        let correlation = self.correlation_id.as_deref()?;
        Some(write_opey_confirmation(seq, correlation, &self.message))
    }
}

fn user_message(text: &str) -> Result<MessagesRequest, GateError> {
    let message = serde_json::json!({"role": "user", "content": text});
    let message = Json::encode(&message).map_err(|why| GateError::invalid("message", &why))?;
    Ok(MessagesRequest {
        format: MessageFormat::OpenAi,
        message: Some(message),
        messages: None,
        from: 0,
        sender: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decisions that a body means, or why there are none.
    fn read(body: &str) -> Result<Vec<String>, String> {
        let thread = countersign_api::parse_thread_id("t").expect("an id");
        let decision: OpeyDecision = serde_json::from_str(body).map_err(|why| why.to_string())?;
        let decisions = decision.into_decisions(&thread).map_err(|why| why.detail.clone())?.decisions;
        let show = |item: &BulkDecisionItem| {
            format!("{} {} {:?}", item.id, item.decision.as_str(), item.level.as_deref().unwrap_or_default())
        };
        Ok(decisions.iter().map(show).collect())
    }

    #[test]
    fn one_level_may_have_two_names() {
        let both = |level: &str, other: &str| {
            read(&format!(
                r#"{{"tool_call_id":"c","approval":"approve","level":"{level}","approval_level":"{other}"}}"#
            ))
        };
        assert_eq!(both("admin", "admin"), Ok(vec![r#"c allow_once "admin""#.to_owned()]));
        assert_eq!(both("session", "session"), Ok(vec![r#"c allow_session """#.to_owned()]));
        let differs = both("once", "admin").expect_err("two levels");
        assert_eq!(differs, r#"level: is "once", and `approval_level` is "admin"; they are one level"#);
    }

    #[test]
    fn request_makes_one_decision_or_several() {
        let batch = r#"{"batch_decisions":{"a":{"approved":true,"level":"user"},"b":{"approved":false}}}"#;
        assert_eq!(read(batch), Ok(vec![r#"a allow_once "user""#.to_owned(), r#"b deny """#.to_owned()]));
        read("{}").expect_err("no decision");
        read(r#"{"batch_decisions":{}}"#).expect_err("no decision");
        read(r#"{"approval":"deny"}"#).expect_err("no call");
        read(r#"{"tool_call_id":"a","approval":"deny","batch_decisions":{"b":{"approved":true}}}"#)
            .expect_err("both");
        read(r#"{"consent_jwt":"x"}"#).expect_err("a consent is no decision");
    }
}
