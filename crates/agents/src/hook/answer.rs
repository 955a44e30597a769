//! The answer of a hook as JSON, in the form of each agent.

use super::agent::{HookAgent, HookCaller, HookEvent};
use countersign_api::Json;
use serde::Serialize;

/// The answer to one message.
#[derive(Debug)]
pub(super) enum HookAnswer {
    /// The agent runs the call.
    Allow {
        reason: String,
        /// The arguments to run.
        arguments: Option<Json>,
        /// Whether they are not those of the agent.
        is_edited: bool,
        /// A note for the model.
        note: Option<String>,
    },
    /// The agent's own rules decide. Claude Code applies the arguments all the same.
    NoDecision {
        /// The arguments to run.
        arguments: Option<Json>,
    },
    /// The agent stops, because it ran something else than it was allowed.
    Stop { reason: String },
    /// The agent does not run the call, and the model gets the reason.
    Deny { reason: String },
    /// The agent ends its turn, and asks again when its session is resumed.
    Defer { reason: String },
    /// The agent needs no answer.
    Silent,
}

/// `hookSpecificOutput` before a tool, of Claude Code and Codex.
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

/// `hookSpecificOutput` of a permission request, of Claude Code and Codex.
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

/// The answer before a tool, of Gemini CLI.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiOutput<'a> {
    decision: &'static str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<GeminiInput<'a>>,
}

#[derive(Serialize)]
struct GeminiInput<'a> {
    tool_input: &'a Json,
}

/// The answer before a tool, of Cursor. The person at the editor and the model get the reason of a denial.
#[derive(Serialize)]
struct CursorOutput<'a> {
    permission: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a Json>,
}

/// The answer to a program other than the known agents.
#[derive(Serialize)]
struct GenericAnswer<'a> {
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// The answer after a tool that stops the agent, of Claude Code and Codex.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StopOutput<'a> {
    #[serde(rename = "continue")]
    continues: bool,
    stop_reason: &'a str,
}

fn encode_stop(reason: &str) -> Result<String, serde_json::Error> {
    serde_json::to_string(&StopOutput { continues: false, stop_reason: reason })
}

/// An answer without a decision: silence, or for Claude Code the arguments alone.
fn encode_no_decision(
    agent: HookAgent,
    event: HookEvent,
    arguments: Option<&Json>,
) -> Result<String, serde_json::Error> {
    if agent != HookAgent::ClaudeCode || event != HookEvent::BeforeTool || arguments.is_none() {
        return Ok(String::new());
    }
    serde_json::to_string(&SpecificOutput {
        hook_specific_output: PreToolUseOutput {
            hook_event_name: "PreToolUse",
            permission_decision: None,
            permission_decision_reason: None,
            updated_input: arguments,
            additional_context: None,
        },
    })
}

impl HookAnswer {
    pub(super) fn allowed_by(reason: &str) -> Self {
        Self::Allow { reason: reason.to_owned(), arguments: None, is_edited: false, note: None }
    }

    /// The JSON for stdout.
    pub(super) fn encode(&self, caller: HookCaller, event: HookEvent) -> Result<String, serde_json::Error> {
        match caller {
            HookCaller::Agent(agent) => self.encode_for_agent(agent, event),
            HookCaller::Generic => self.encode_for_program(),
        }
    }

    /// The answer as JSON. An allowed call runs with these arguments and no others.
    fn encode_for_program(&self) -> Result<String, serde_json::Error> {
        let (verdict, arguments, reason) = match self {
            Self::Allow { reason, arguments, note, .. } => {
                ("allow", arguments.as_ref(), Some(note.as_ref().unwrap_or(reason).as_str()))
            }
            // A program without rules of its own is never left to them.
            Self::NoDecision { arguments } => ("allow", arguments.as_ref(), None),
            Self::Deny { reason } => ("deny", None, Some(reason.as_str())),
            Self::Defer { reason } => ("pending", None, Some(reason.as_str())),
            Self::Stop { reason } => ("stop", None, Some(reason.as_str())),
            Self::Silent => return Ok(String::new()),
        };
        serde_json::to_string(&GenericAnswer { verdict, arguments, reason })
    }

    fn encode_for_agent(&self, agent: HookAgent, event: HookEvent) -> Result<String, serde_json::Error> {
        let (decision, reason, arguments, note) = match self {
            Self::Allow { reason, arguments, is_edited, note } => {
                // Only Claude Code runs several hooks of which each may change the arguments.
                let is_sent = *is_edited || agent == HookAgent::ClaudeCode;
                ("allow", reason, arguments.as_ref().filter(|_| is_sent), note.as_deref())
            }
            Self::Defer { reason } if agent == HookAgent::ClaudeCode => ("defer", reason, None, None),
            Self::Deny { reason } | Self::Defer { reason } => ("deny", reason, None, None),
            Self::NoDecision { arguments } => return encode_no_decision(agent, event, arguments.as_ref()),
            Self::Stop { reason } => return encode_stop(reason),
            Self::Silent => return Ok(String::new()),
        };
        match (agent, event) {
            (HookAgent::GeminiCli, _) => serde_json::to_string(&GeminiOutput {
                decision,
                reason,
                hook_specific_output: arguments.map(|tool_input| GeminiInput { tool_input }),
            }),
            (HookAgent::Cursor, _) => {
                let denial = (decision == "deny").then_some(reason.as_str());
                serde_json::to_string(&CursorOutput {
                    permission: decision,
                    user_message: denial,
                    agent_message: denial.or(note),
                    updated_input: arguments,
                })
            }
            (_, HookEvent::PermissionRequest) => {
                let behavior = if decision == "allow" { "allow" } else { "deny" };
                serde_json::to_string(&SpecificOutput {
                    hook_specific_output: PermissionOutput {
                        hook_event_name: "PermissionRequest",
                        decision: PermissionBehavior {
                            behavior,
                            updated_input: arguments,
                            message: (behavior == "deny").then_some(reason.as_str()),
                        },
                    },
                })
            }
            // Codex rejects an allowing answer that changes nothing, and then ignores it. Silence lets the call continue.
            (HookAgent::Codex, _) if decision == "allow" && arguments.is_none() => Ok(String::new()),
            _ => serde_json::to_string(&SpecificOutput {
                hook_specific_output: PreToolUseOutput {
                    hook_event_name: "PreToolUse",
                    permission_decision: Some(decision),
                    permission_decision_reason: Some(reason),
                    updated_input: arguments,
                    additional_context: note,
                },
            }),
        }
    }
}
