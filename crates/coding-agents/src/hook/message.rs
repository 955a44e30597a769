//! The message that an agent gives its hook.

use super::{event::HookEvent, failure::HookFailure};
use countersign_api::{Json, Place, random_id};
use countersign_events::{json::JsonTree, question::ELICITATION};
use serde::Deserialize;

/// The largest message, in bytes: the largest arguments and the largest result together.
pub const MAX_MESSAGE_BYTES: usize = 12 * 1024 * 1024;

/// A message about one call of a tool.
#[derive(Debug, Clone)]
pub struct HookMessage {
    /// The event.
    pub event: HookEvent,
    /// The conversation, which is the thread.
    pub session_id: String,
    /// The tool name, unchanged: an MCP server tool is `mcp__server__tool`.
    pub tool_name: String,
    /// The arguments.
    pub tool_input: Json,
    /// The call's id, if the agent has one. Gemini CLI has none, and so has Copilot CLI, which runs the hooks of Claude
    /// Code.
    pub tool_use_id: Option<String>,
    /// The result, after the tool.
    pub tool_response: Option<Json>,
    /// The reason why the tool failed.
    pub error: Option<String>,
    /// Whether the agent plans and must change nothing.
    pub is_planning: bool,
    /// Whether the agent refuses every call that its own rules do not allow.
    pub refuses_unlisted: bool,
    /// The call's purpose, for the approver.
    pub description: Option<String>,
    /// The sub-agent that makes the call, as the agent names it.
    pub sub_agent: Option<String>,
    pub(crate) cwd: Option<String>,
}

/// The agent behind a hook, and where it works: claims of its machine, which people see and rules select by.
#[derive(Debug, Clone, Copy, Default)]
pub struct HookOrigin<'a> {
    /// The agent's kind, such as `claude-code`.
    pub agent: Option<&'a str>,
    /// The project's folder.
    pub project: Option<&'a str>,
    /// The machine, if several share the log.
    pub host: Option<&'a str>,
}

/// The value of `permission_mode` of an agent that refuses what its own rules do not allow, instead of asking.
const REFUSING_MODE: &str = "dontAsk";

/// The value of `permission_mode` of an agent that plans.
const PLAN_MODE: &str = "plan";

/// Agent message fields. Agents add fields, so unknown ones are accepted.
#[derive(Deserialize)]
struct MessageFields {
    #[serde(default)]
    hook_event_name: Option<String>,
    /// The event, as Goose calls it.
    #[serde(default)]
    event: Option<String>,
    #[serde(default)]
    session_id: Option<String>,
    /// The session, as Cursor calls it.
    #[serde(default)]
    conversation_id: Option<String>,
    #[serde(default)]
    tool_name: Option<String>,
    #[serde(default)]
    tool_input: Option<Json>,
    #[serde(default)]
    tool_use_id: Option<String>,
    #[serde(default)]
    tool_response: Option<Json>,
    /// The result, as Cursor calls it.
    #[serde(default)]
    tool_output: Option<Json>,
    /// The result, as Copilot CLI calls it.
    #[serde(default)]
    tool_result: Option<Json>,
    /// The call's id, as Goose calls it.
    #[serde(default)]
    tool_call_id: Option<String>,
    /// The folder, as Goose calls it.
    #[serde(default)]
    working_dir: Option<String>,
    #[serde(default)]
    error: Option<String>,
    /// The failure reason, as Cursor names it.
    #[serde(default)]
    error_message: Option<String>,
    #[serde(default)]
    mcp_server_name: Option<String>,
    /// The text above a form.
    #[serde(default)]
    message: Option<String>,
    /// The form, as the MCP server describes it.
    #[serde(default)]
    requested_schema: Option<Json>,
    #[serde(default)]
    elicitation_id: Option<String>,
    #[serde(default)]
    permission_mode: Option<String>,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    agent_type: Option<String>,
    /// The skill whose text has the command.
    #[serde(default)]
    command_name: Option<String>,
}

impl MessageFields {
    /// The form of an MCP server as the arguments of a call. Without a schema, the server only opens an address.
    fn read_form(&self) -> Json {
        let text = |text: &Option<String>| JsonTree::from(text.clone().unwrap_or_default());
        let schema = self.requested_schema.as_ref().and_then(JsonTree::parse);
        JsonTree::object([("server", text(&self.mcp_server_name)), ("message", text(&self.message))])
            .with_optional("requestedSchema", schema)
            .to_json()
    }
}

impl HookMessage {
    /// Reads a message from a coding agent. `event` is what an event name means, if the event needs an answer.
    pub(crate) fn read_of_agent(
        agent: &str,
        text: &str,
        event: impl FnOnce(&str) -> Option<HookEvent>,
    ) -> Result<Self, HookFailure> {
        let bad = |why: String| HookFailure::BadMessage(why);
        let fields: MessageFields = serde_json::from_str(text)
            .map_err(|why| bad(format!("stdin is not a hook message of {agent}: {why}")))?;
        let missing = |field: &str| bad(format!("the message has no {field}"));
        let name = fields
            .hook_event_name
            .clone()
            .or_else(|| fields.event.clone())
            .ok_or_else(|| missing("hook_event_name"))?;
        let event = event(&name).ok_or_else(|| {
            bad(format!(
                "{agent} has no hook {name:?} that Countersign answers; `countersign install {agent}` writes the right ones"
            ))
        })?;
        // Messages about the session name no tool.
        let (tool_name, tool_input) = if event == HookEvent::Elicitation {
            (ELICITATION.to_owned(), fields.read_form())
        } else if event.is_about_call() {
            let name = fields.tool_name.ok_or_else(|| missing("tool_name"))?;
            (name, fields.tool_input.ok_or_else(|| missing("tool_input"))?)
        } else {
            (String::new(), Json::null())
        };
        Ok(Self {
            event,
            session_id: fields.conversation_id.or(fields.session_id).ok_or_else(|| missing("session_id"))?,
            tool_name,
            tool_input,
            tool_use_id: match event {
                HookEvent::Elicitation => {
                    Some(fields.elicitation_id.unwrap_or_else(|| random_id("elicitation_")))
                }
                _ => fields.tool_use_id.or(fields.tool_call_id),
            },
            is_planning: fields.permission_mode.as_deref() == Some(PLAN_MODE),
            refuses_unlisted: fields.permission_mode.as_deref() == Some(REFUSING_MODE),
            tool_response: fields.tool_response.or(fields.tool_output).or(fields.tool_result),
            error: fields.error.or(fields.error_message),
            description: fields.command_name.map(|skill| format!("a command in the text of {skill}")),
            sub_agent: fields.agent_type.filter(|name| !name.is_empty()),
            cwd: fields.cwd.or(fields.working_dir),
        })
    }

    /// A message before a tool.
    pub(crate) fn before_tool(session_id: String, tool_name: String, tool_input: Json) -> Self {
        Self {
            event: HookEvent::BeforeTool,
            session_id,
            tool_name,
            tool_input,
            tool_use_id: None,
            tool_response: None,
            error: None,
            is_planning: false,
            refuses_unlisted: false,
            description: None,
            sub_agent: None,
            cwd: None,
        }
    }

    /// The call's folder, project and agent. The same command in another folder is another call.
    pub(super) fn place(&self, origin: HookOrigin<'_>) -> Option<Place> {
        let folder = self.cwd.clone().filter(|folder| !folder.is_empty());
        let place = Place {
            folder,
            project: origin.project.map(str::to_owned),
            host: origin.host.map(str::to_owned),
            agent: self.agent(origin.agent),
            ..Place::default()
        };
        (place != Place::default()).then_some(place)
    }

    /// The agent's kind and the sub-agent: `claude-code/explore`. A control character would make the place invalid.
    fn agent(&self, kind: Option<&str>) -> Option<String> {
        let name = |text: &str| text.replace(char::is_control, " ");
        match (kind, &self.sub_agent) {
            (Some(kind), Some(sub_agent)) => Some(format!("{kind}/{}", name(sub_agent))),
            (kind, _) => kind.map(name),
        }
    }
}
