//! The results that a person's client writes: as text with the marker `__type` (from 6 November 2025), and as the body of
//! `POST /worlds/{thread}/tool-results` (v0.9.0). Source: the public repository yysun/agent-world.

use countersign_api::{CallId, GateError, Json, parse_call_id};
use countersign_events::json::JsonTree;
use countersign_messages::request_id;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A person's decision on a call.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "tool_call_id": "approval_tool_456", "decision": "approve", "scope": "once", "toolName": "shell_cmd",
    "toolArgs": {"command": "ls -la"}, "agentId": "a1"
})))]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldToolResult {
    /// The id of the request, or of the call.
    pub(crate) tool_call_id: String,
    /// `approve` or `deny`.
    pub(crate) decision: String,
    /// `once` or `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<String>,
    /// The tool that the person saw.
    #[serde(rename = "toolName")]
    pub(crate) tool_name: String,
    /// The arguments that the person saw. Without them, only the tool is compared.
    #[serde(default, rename = "toolArgs", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, required = false)]
    pub(crate) tool_args: Option<Json>,
    /// Not known to Countersign: a decision that has it is refused.
    #[serde(default, rename = "workingDirectory", skip_serializing_if = "Option::is_none")]
    pub(crate) working_directory: Option<String>,
    /// The agent whose call it is.
    #[serde(rename = "agentId")]
    pub(crate) agent_id: String,
    /// False asks for one answer instead of a stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stream: Option<bool>,
}

impl std::fmt::Debug for WorldToolResult {
    /// Leaves out the arguments, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldToolResult").field("tool_call_id", &self.tool_call_id).finish_non_exhaustive()
    }
}

/// A result as a message of OpenAI's Chat Completions.
pub(crate) struct ReadResult {
    pub(crate) message: Json,
    /// The call that it decides, and the agent that the client names for it.
    pub(crate) named: Option<NamedAgent>,
}

/// The agent that a client names for a call.
pub(crate) struct NamedAgent {
    pub(crate) call: CallId,
    pub(crate) agent: String,
}

impl WorldToolResult {
    /// The decision as a message.
    ///
    /// # Errors
    /// If the id cannot be the id of a call.
    pub(crate) fn read(&self) -> Result<ReadResult, GateError> {
        let arguments = self.tool_args.as_ref().and_then(JsonTree::parse);
        let content = JsonTree::object([("decision", self.decision.as_str().into())])
            .with_optional("scope", self.scope.as_deref())
            .with("toolName", self.tool_name.as_str())
            .with_optional("toolArgs", arguments)
            .with_optional("workingDirectory", self.working_directory.as_deref());
        write_result(&self.tool_call_id, &content.to_string(), Some(&self.agent_id))
    }

    /// The event that confirms that the decision arrived.
    pub(crate) fn confirmation(&self) -> Json {
        let data = JsonTree::object([
            ("tool_call_id", self.tool_call_id.as_str().into()),
            ("agentId", self.agent_id.as_str().into()),
            ("decision", self.decision.as_str().into()),
        ]);
        let data = data.with_optional("scope", self.scope.as_deref());
        JsonTree::object([("type", "tool-result-submitted".into()), ("data", data)]).to_json()
    }
}

/// The marker of a result that is written as text.
const MARKER: &str = "__type";

/// Reads a result that is written as text, with or without a mention of its agent; `None` for what a person says.
///
/// # Errors
/// If it has the marker and cannot be read: it is not what a person says, so no model may read it as that.
pub(crate) fn read_result(text: &str) -> Result<Option<ReadResult>, GateError> {
    let text = text.trim();
    let text = match text.strip_prefix('@').and_then(|rest| rest.split_once([' ', ','])) {
        Some((_, rest)) => rest.trim_start_matches([' ', ',']),
        None => text,
    };
    let invalid =
        |why: &str| GateError::invalid("message", &format!("a result with the marker `{MARKER}` {why}"));
    if !text.starts_with('{') {
        return Ok(None);
    }
    let Some(result) = JsonTree::parse_text(text).filter(JsonTree::is_object) else {
        return if text.contains(MARKER) { Err(invalid("is no JSON object")) } else { Ok(None) };
    };
    if result.get(MARKER).is_none() {
        return Ok(None);
    }
    if result.text_of(MARKER) != Some("tool_result") {
        return Err(invalid("must have the type tool_result"));
    }
    let id = result.text_of("tool_call_id").ok_or_else(|| invalid("has no tool_call_id"))?;
    let content = result.text_of("content").ok_or_else(|| invalid("must have its content as a string"))?;
    write_result(id, content, result.text_of("agentId")).map(Some)
}

/// The message of a result. A client may give the id of the call or of its request for a decision.
fn write_result(id: &str, content: &str, agent: Option<&str>) -> Result<ReadResult, GateError> {
    let decides = JsonTree::parse_text(content).is_some_and(|content| content.get("decision").is_some());
    let prefix = request_id("");
    let call = id.strip_prefix(&prefix).unwrap_or(id);
    let id = if decides { request_id(call) } else { id.to_owned() };
    let message = JsonTree::object([
        ("role", "tool".into()),
        ("tool_call_id", id.as_str().into()),
        ("content", content.into()),
    ]);
    let named = agent.filter(|_| decides || id.starts_with(&prefix));
    let named = named
        .map(|agent| Ok::<_, GateError>(NamedAgent { call: parse_call_id(call)?, agent: agent.to_owned() }));
    Ok(ReadResult { message: message.to_json(), named: named.transpose()? })
}
