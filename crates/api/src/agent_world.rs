//! The bodies of the interface of Agent World, whose threads are worlds.

use crate::{
    Call, CallId, GateError, Json, MessagesRequest, ProposeRequest, ToolName, parse_call_id, random_id,
};
use countersign_events::event::MessageFormat;
use serde::{Deserialize, Serialize};

/// A message to a world, or a whole conversation with decisions in it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"message": "@a1, list the files", "sender": "HUMAN"}))))]
#[serde(deny_unknown_fields)]
pub struct WorldMessageRequest {
    /// What the person says. If it is the last thing that a person says in `messages`, it was sent with them.
    #[serde(default)]
    pub message: String,
    /// The name that the client has for the sender. The log records the caller instead, whose name is proven. If it is not the
    /// caller's name, `HUMAN` or `user`, the messages decide nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// The conversation so far, in the form of OpenAI's Chat Completions. The results of calls whose ids begin with
    /// `approval_` are decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<Object>>, required = false))]
    pub messages: Option<Vec<Json>>,
}

impl std::fmt::Debug for WorldMessageRequest {
    /// Leaves out the messages, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.messages.as_ref().map(Vec::len);
        f.debug_struct("WorldMessageRequest").field("count", &count).finish_non_exhaustive()
    }
}

impl WorldMessageRequest {
    /// The messages to add to the conversation.
    ///
    /// # Errors
    /// If there are none.
    pub fn into_messages(self) -> Result<MessagesRequest, GateError> {
        let said = (!self.message.trim().is_empty()).then(|| user_message(&self.message)).transpose()?;
        let mut request = MessagesRequest {
            format: MessageFormat::OpenAi,
            message: None,
            messages: None,
            from: 0,
            sender: self.sender,
        };
        match (self.messages, said) {
            (None, None) => {
                return Err(GateError::invalid("message", &"is empty, and there are no `messages`"));
            }
            (None, Some(said)) => request.message = Some(said),
            (Some(mut messages), said) => {
                let last_said = messages.iter().rev().find_map(user_text);
                let is_new = last_said.is_none_or(|text| text != self.message);
                messages.extend(said.filter(|_| is_new));
                request.messages = Some(messages);
            }
        }
        Ok(request)
    }
}

/// A message of OpenAI's Chat Completions, as far as it tells what a person says.
#[derive(Serialize, Deserialize)]
struct UserMessage {
    role: String,
    content: String,
}

fn user_message(content: &str) -> Result<Json, GateError> {
    let message = UserMessage { role: "user".to_owned(), content: content.to_owned() };
    Json::encode(&message).map_err(|why| GateError::invalid("message", &why))
}

/// The text of a message of a person; `None` for other messages.
fn user_text(message: &Json) -> Option<String> {
    message.read::<UserMessage>().ok().filter(|message| message.role == "user").map(|message| message.content)
}

/// A tool that an agent of a world is about to run.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"toolName": "shell_cmd", "toolArgs": {"command": "ls -la"}, "toolCallId": "tool_456"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorldToolRequest {
    /// The name of the tool.
    pub tool_name: ToolName,
    /// The arguments: any JSON, kept byte for byte.
    pub tool_args: Json,
    /// The id that the model gave the call; without one, the server chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<CallId>,
    /// The explanation for the approvers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl std::fmt::Debug for WorldToolRequest {
    /// Leaves out the arguments, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldToolRequest").field("tool_name", &self.tool_name).finish_non_exhaustive()
    }
}

impl WorldToolRequest {
    /// The proposal of the call.
    ///
    /// # Errors
    /// Never, unless the system has no randomness.
    pub fn into_proposal(self) -> Result<ProposeRequest, GateError> {
        let id = match self.tool_call_id {
            Some(id) => id,
            None => parse_call_id(&random_id("tool_"))?,
        };
        let mut proposal = ProposeRequest::new(id.as_str(), self.tool_name.as_str(), "null")?;
        (proposal.arguments, proposal.description) = (self.tool_args, self.message);
        Ok(proposal)
    }
}

/// Whether the tool may run now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "needsApproval": true, "canExecute": false, "_stopProcessing": true,
    "_approvalMessage": {"role": "assistant", "content": "", "tool_calls": [{
        "id": "approval_tool_456", "type": "function", "function": {"name": "client.requestApproval", "arguments": "{}"}
    }]},
    "call": {
        "threadId": "default-world", "id": "tool_456", "name": "shell_cmd", "state": "pending", "arguments": {"command": "ls -la"},
        "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
        "proposal": {"seq": 1, "principal": "agent:a1", "at": "2026-01-31T12:00:00.000Z"}
    }
}))))]
#[serde(rename_all = "camelCase")]
pub struct WorldToolAnswer {
    /// True while people decide.
    pub needs_approval: bool,
    /// True if the call is allowed. Its executor claims it before it runs it.
    pub can_execute: bool,
    /// The text for the model, if the call does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if the agent ends its turn now, with `_approvalMessage` as its message.
    #[serde(default, rename = "_stopProcessing", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub stop_processing: bool,
    /// The message of the assistant that asks a person, in the form of OpenAI's Chat Completions.
    #[serde(default, rename = "_approvalMessage", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object, required = false))]
    pub approval_message: Option<Json>,
    /// The call. `arguments` are those that run: a person may have changed them.
    pub call: Call,
}

impl WorldToolAnswer {
    /// The answer about a call in its current state. `ask` writes the message that asks a person.
    #[must_use]
    pub fn from_call(call: Call, ask: impl FnOnce(&Call) -> Json) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of messages in the request that this body becomes.
    fn count(body: &str) -> Result<usize, String> {
        let request: WorldMessageRequest = serde_json::from_str(body).expect("a request");
        let request = request.into_messages().map_err(|error| error.to_string())?;
        Ok(request.messages.map_or(1, |messages| messages.len()))
    }

    #[test]
    fn message_of_a_resubmission_is_sent_once() {
        let user = r#"{"role":"user","content":"delete"}"#;
        let decision = r#"{"role":"tool","tool_call_id":"approval_1","content":"deny"}"#;
        assert_eq!(count(r#"{"message":"delete"}"#), Ok(1));
        assert_eq!(count(&format!(r#"{{"message":"delete","messages":[{user},{decision}]}}"#)), Ok(2));
        assert_eq!(count(&format!(r#"{{"message":"stop","messages":[{user},{decision}]}}"#)), Ok(3));
        assert_eq!(count(&format!(r#"{{"messages":[{user}]}}"#)), Ok(1));
        count(r#"{"message":" "}"#).expect_err("says nothing");
    }
}
