//! The body with which an agent in a world asks whether it may run a tool, and the answer.

use countersign_api::{
    Call, CallId, GateError, Json, ProposeRequest, ProposedDefinition, ToolName, parse_call_id, random_id,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A tool that an agent in a world is about to run.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"toolName": "shell_cmd", "toolArgs": {"command": "ls -la"}, "toolCallId": "tool_456"})))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WorldToolRequest {
    /// The tool's name.
    pub(crate) tool_name: ToolName,
    /// The arguments: any JSON, kept byte for byte.
    pub(crate) tool_args: Json,
    /// The id that the model gave the call; without one, the server chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<CallId>,
    /// The explanation for the approvers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// What the tool says that it does. The policy looks for dangerous words in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_description: Option<String>,
}

impl std::fmt::Debug for WorldToolRequest {
    /// Leaves out the arguments, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldToolRequest").field("tool_name", &self.tool_name).finish_non_exhaustive()
    }
}

impl WorldToolRequest {
    /// The call's proposal.
    ///
    /// # Errors
    /// Never, unless the system has no randomness.
    pub(crate) fn into_proposal(self) -> Result<ProposeRequest, GateError> {
        let id = match self.tool_call_id {
            Some(id) => id,
            None => parse_call_id(&random_id("tool_"))?,
        };
        let mut proposal = ProposeRequest::new(id.as_str(), self.tool_name.as_str(), "null")?;
        (proposal.arguments, proposal.description) = (self.tool_args, self.message);
        proposal.definition = self.tool_description.map(|description| ProposedDefinition {
            description: Some(description),
            ..ProposedDefinition::default()
        });
        Ok(proposal)
    }
}

/// Whether the tool may run now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "needsApproval": true, "canExecute": false, "_stopProcessing": true,
    "_approvalMessage": {"role": "assistant", "content": "", "tool_calls": [{
        "id": "approval_tool_456", "type": "function", "function": {"name": "client.requestApproval", "arguments": "{}"}
    }]},
    "call": {
        "threadId": "default-world", "id": "tool_456", "name": "shell_cmd", "state": "pending", "arguments": {"command": "ls -la"},
        "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
        "proposal": {"seq": 1, "principal": "agent:a1", "at": "2026-01-31T12:00:00.000Z"}
    }
})))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorldToolAnswer {
    /// True while people decide.
    pub(crate) needs_approval: bool,
    /// Whether the call is allowed. Its executor claims it before it runs it.
    pub(crate) can_execute: bool,
    /// The text for the model, if the call does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Whether the agent ends its turn now, with `_approvalMessage` as its message.
    #[serde(default, rename = "_stopProcessing", skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(crate) stop_processing: bool,
    /// The assistant message that asks a person, in the form of OpenAI's Chat Completions.
    #[serde(default, rename = "_approvalMessage", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, required = false)]
    pub(crate) approval_message: Option<Json>,
    /// The call. `arguments` are those that run: a person may have changed them.
    pub(crate) call: Call,
}

impl WorldToolAnswer {
    /// The answer about a call in its current state. `ask` writes the message that asks a person.
    pub(crate) fn from_call(call: Call, ask: impl FnOnce(&Call) -> Json) -> Self {
        let (needs_approval, can_execute) = (call.is_pending(), call.may_run());
        Self {
            needs_approval,
            can_execute,
            reason: (!needs_approval && !can_execute).then(|| call.ended_text()),
            stop_processing: needs_approval,
            approval_message: needs_approval.then(|| ask(&call)),
            call,
        }
    }
}
