//! Answers in the form of Claude Code, which Codex reads too, and the decision in them, which all agents need.

use super::answer::HookAnswer;
use countersign_api::Json;
use serde::Serialize;

/// The decision in an answer before a tool.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToolDecision<'a> {
    /// `allow`, `deny` or `defer`; `None` if the agent's own rules decide.
    pub(crate) decision: Option<&'static str>,
    pub(crate) reason: Option<&'a str>,
    /// The arguments to run.
    pub(crate) arguments: Option<&'a Json>,
    /// A note for the model.
    pub(crate) note: Option<&'a str>,
}

/// An answer without a decision about a call.
pub(crate) enum OtherAnswer<'a> {
    /// The agent needs no answer, or its own rules decide.
    Nothing,
    /// The agent stops.
    Stop(&'a str),
}

/// The answer after a tool that stops the agent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StopOutput<'a> {
    #[serde(rename = "continue")]
    continues: bool,
    stop_reason: &'a str,
}

impl OtherAnswer<'_> {
    pub(crate) fn encode(&self) -> Result<String, serde_json::Error> {
        match self {
            Self::Nothing => Ok(String::new()),
            Self::Stop(reason) => {
                serde_json::to_string(&StopOutput { continues: false, stop_reason: reason })
            }
        }
    }
}

impl<'a> ToolDecision<'a> {
    pub(crate) fn made(decision: &'static str, reason: &'a str) -> Self {
        Self { decision: Some(decision), reason: Some(reason), ..Self::default() }
    }

    /// The decision in an answer, for an agent that cannot defer.
    pub(crate) fn from_answer(answer: &'a HookAnswer) -> Result<Self, OtherAnswer<'a>> {
        match answer {
            HookAnswer::Allow { reason, arguments, note, .. } => {
                let (arguments, note) = (arguments.as_ref(), note.as_deref());
                Ok(Self { arguments, note, ..Self::made("allow", reason) })
            }
            HookAnswer::Deny { reason } | HookAnswer::Defer { reason } => Ok(Self::made("deny", reason)),
            HookAnswer::Stop { reason } => Err(OtherAnswer::Stop(reason)),
            HookAnswer::NoDecision { .. } | HookAnswer::Content { .. } | HookAnswer::Silent => {
                Err(OtherAnswer::Nothing)
            }
        }
    }

    /// The same decision, with the arguments only if a person changed them.
    pub(crate) fn edits_only(self, answer: &HookAnswer) -> Self {
        let is_edited = matches!(answer, HookAnswer::Allow { is_edited: true, .. });
        Self { arguments: self.arguments.filter(|_| is_edited), ..self }
    }

    pub(crate) fn is_allowed(&self) -> bool {
        self.decision == Some("allow")
    }
}

/// `hookSpecificOutput` before a tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PreToolUseOutput<'a> {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
}

/// `hookSpecificOutput` of a permission request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PermissionOutput<'a> {
    hook_event_name: &'static str,
    decision: PermissionBehavior<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PermissionBehavior<'a> {
    behavior: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SpecificOutput<T> {
    hook_specific_output: T,
}

/// The answer before a tool.
pub(crate) fn encode_tool_decision(decision: ToolDecision<'_>) -> Result<String, serde_json::Error> {
    encode_decision("PreToolUse", decision)
}

/// The answer to an event whose answer has the form of that before a tool.
pub(crate) fn encode_decision(
    event: &'static str,
    decision: ToolDecision<'_>,
) -> Result<String, serde_json::Error> {
    serde_json::to_string(&SpecificOutput {
        hook_specific_output: PreToolUseOutput {
            hook_event_name: event,
            permission_decision: decision.decision,
            permission_decision_reason: decision.reason,
            updated_input: decision.arguments,
            additional_context: decision.note,
        },
    })
}

/// `hookSpecificOutput` of a form of an MCP server.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ElicitationOutput<'a> {
    hook_event_name: &'static str,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a Json>,
}

/// The answer to a form of an MCP server: its content, or that people declined it. Empty if the agent asks its own user.
pub(crate) fn encode_elicitation(answer: &HookAnswer) -> Result<String, serde_json::Error> {
    let (action, content) = match answer {
        HookAnswer::Content { content } => ("accept", Some(content)),
        HookAnswer::Deny { .. } => ("decline", None),
        _ => return Ok(String::new()),
    };
    let hook_event_name = "Elicitation";
    serde_json::to_string(&SpecificOutput {
        hook_specific_output: ElicitationOutput { hook_event_name, action, content },
    })
}

/// The answer to a permission request, which knows only two decisions.
pub(crate) fn encode_permission(decision: ToolDecision<'_>) -> Result<String, serde_json::Error> {
    let behavior = if decision.is_allowed() { "allow" } else { "deny" };
    serde_json::to_string(&SpecificOutput {
        hook_specific_output: PermissionOutput {
            hook_event_name: "PermissionRequest",
            decision: PermissionBehavior {
                behavior,
                updated_input: decision.arguments,
                message: decision.reason.filter(|_| behavior == "deny"),
            },
        },
    })
}
