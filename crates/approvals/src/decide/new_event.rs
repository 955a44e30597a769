//! The events that a decision writes.

use super::context::DecisionContext;
use countersign_events::{
    ApprovalResponse, Body, CallId, Decision, ErasedTexts, Json, Principal, Source, Status, ToolCall,
    ToolResult,
};

/// An event to write. The batch gives it its `seq`, its time and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The principal that caused it.
    pub by: Principal,
    /// Its typed content.
    pub body: Body,
}

impl NewEvent {
    pub(crate) fn new(by: &Principal, body: Body) -> Self {
        Self { by: by.clone(), body }
    }
}

/// A response about `call` with the fields that every response has.
pub(super) fn new_response(
    call: &ToolCall,
    decision: Decision,
    source: Source,
    context: &DecisionContext<'_>,
) -> ApprovalResponse {
    // The claim judges again what a rule allows, so that does not lapse. An approval by people does.
    let lapses = context.policy.lapses().filter(|_| decision.allows() && source != Source::Policy);
    ApprovalResponse {
        tool_call_id: call.id.clone(),
        decision,
        source,
        rule: None,
        basis: None,
        shadow: Vec::new(),
        grant: None,
        on_behalf_of: None,
        comment: None,
        arguments: None,
        changes: Vec::new(),
        arguments_hash: call.arguments_hash,
        level: None,
        scope: None,
        agents: None,
        expires_at: None,
        uses: None,
        author_level: None,
        proof: None,
        channel: None,
        lapses_at: lapses.map(|span| context.now.after(span)),
        policy: Some(context.policy.hash()),
        policy_change: None,
        set_by: None,
        proposer_last_seen_at: None,
        erased: ErasedTexts::new(),
    }
}

/// The message to the model about a call that a rule blocks.
pub(super) fn blocked_text(by: &Principal, reason: &str) -> String {
    format!("Blocked by {by}: {reason}. This is a rule, which no approval lifts: do not retry it.")
}

/// The result that the gate itself writes for a call that never ran, with a message for the model.
pub(super) fn new_result(id: &CallId, status: Status, text: &str) -> Body {
    Body::ToolResult(ToolResult { tool_call_id: id.clone(), status, content: Json::string(text) })
}
