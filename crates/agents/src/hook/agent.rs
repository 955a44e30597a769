//! The agents whose hooks are known, and how they differ.

use crate::approval::EditSupport;
use std::{fmt, str::FromStr};

/// A coding agent with hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookAgent {
    /// Claude Code. Its messages are described in the types of its SDK, and at <https://code.claude.com/docs/en/hooks>.
    ClaudeCode,
    /// Codex. Its messages are those of Claude Code, with fewer answers: <https://developers.openai.com/codex/hooks>.
    Codex,
    /// Gemini CLI: <https://geminicli.com/docs/hooks/reference>.
    GeminiCli,
    /// Cursor: <https://cursor.com/docs/hooks>.
    Cursor,
}

/// The event that a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// The agent is about to run a tool.
    BeforeTool,
    /// The agent would ask its user if it may run a tool.
    PermissionRequest,
    /// A tool has run.
    AfterTool,
    /// A tool has failed.
    AfterToolFailure,
    /// The agent's own rules refused a call that this hook had allowed.
    RefusedByAgent,
    /// The session ended.
    SessionEnd,
}

impl HookEvent {
    /// Whether a message about the event names a call.
    pub(super) const fn is_about_call(self) -> bool {
        !matches!(self, Self::SessionEnd)
    }
}

/// The name of no known agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an agent with hooks; known are claude-code, codex, gemini-cli, cursor, and generic for any other program"
)]
pub struct UnknownHookAgent(String);

impl HookAgent {
    /// All of them.
    pub const ALL: &[Self] = &[Self::ClaudeCode, Self::Codex, Self::GeminiCli, Self::Cursor];

    /// Its name in commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Cursor => "cursor",
        }
    }

    /// The event with this name, if it needs an answer.
    pub(super) fn event(self, name: &str) -> Option<HookEvent> {
        match (self, name) {
            (Self::ClaudeCode | Self::Codex, "PreToolUse")
            | (Self::GeminiCli, "BeforeTool")
            | (Self::Cursor, "preToolUse") => Some(HookEvent::BeforeTool),
            // Codex asks if a command may leave the sandbox, which its message before the tool does not say. An approval of the
            // command must not answer that.
            (Self::ClaudeCode, "PermissionRequest") => Some(HookEvent::PermissionRequest),
            (Self::ClaudeCode | Self::Codex, "PostToolUse")
            | (Self::GeminiCli, "AfterTool")
            | (Self::Cursor, "postToolUse") => Some(HookEvent::AfterTool),
            (Self::ClaudeCode | Self::Codex, "PostToolUseFailure") | (Self::Cursor, "postToolUseFailure") => {
                Some(HookEvent::AfterToolFailure)
            }
            (Self::ClaudeCode, "PermissionDenied") => Some(HookEvent::RefusedByAgent),
            (Self::ClaudeCode | Self::Codex, "SessionEnd") => Some(HookEvent::SessionEnd),
            _ => None,
        }
    }
}

impl fmt::Display for HookAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for HookAgent {
    type Err = UnknownHookAgent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|agent| agent.as_str() == text);
        found.copied().ok_or_else(|| UnknownHookAgent(text.to_owned()))
    }
}

/// The program that runs a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookCaller {
    /// A coding agent, with messages of its own.
    Agent(HookAgent),
    /// Any other program, with the messages that Countersign defines.
    Generic,
}

impl HookCaller {
    /// Its name in commands.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent(agent) => agent.as_str(),
            Self::Generic => "generic",
        }
    }

    /// The executor of a call that the hook before the tool claimed. The result of the call names the same id.
    pub(super) fn executor(self, id: &str) -> String {
        format!("{}:{id}", self.as_str())
    }

    /// The executor of a call that a permission request claimed.
    pub(super) fn permission_executor(self, id: &str) -> String {
        format!("{}-permission:{id}", self.as_str())
    }

    /// True if the hook before the tool has this executor.
    pub(super) fn is_before_tool(self, executor: &str) -> bool {
        executor.strip_prefix(self.as_str()).is_some_and(|rest| rest.starts_with(':'))
    }

    /// True if any hook of this agent has this executor.
    pub(super) fn is_executor(self, executor: &str) -> bool {
        let rest = executor.strip_prefix(self.as_str());
        rest.is_some_and(|rest| rest.starts_with(':') || rest.starts_with("-permission:"))
    }

    /// Whether the agent's report after this tool has other arguments than it ran with: the tool itself adds what its user answered.
    pub(super) fn changes_reported_input(self, tool: &str) -> bool {
        self == Self::Agent(HookAgent::ClaudeCode) && matches!(tool, "AskUserQuestion" | "ExitPlanMode")
    }

    pub(super) const fn edits(self) -> EditSupport {
        match self {
            Self::Agent(HookAgent::GeminiCli) => EditSupport::Merges,
            Self::Agent(HookAgent::ClaudeCode | HookAgent::Codex | HookAgent::Cursor) | Self::Generic => {
                EditSupport::Replaces
            }
        }
    }

    pub(super) const fn permission_edits(self) -> EditSupport {
        match self {
            Self::Agent(HookAgent::ClaudeCode) => EditSupport::Replaces,
            Self::Agent(HookAgent::Codex | HookAgent::GeminiCli | HookAgent::Cursor) | Self::Generic => {
                EditSupport::Unsupported
            }
        }
    }
}

impl fmt::Display for HookCaller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for HookCaller {
    type Err = UnknownHookAgent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == Self::Generic.as_str() { Ok(Self::Generic) } else { text.parse().map(Self::Agent) }
    }
}
