//! The events of hooks.

/// The event that a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    /// The agent is about to run a tool.
    BeforeTool,
    /// The agent would ask its user if it may run a tool.
    PermissionRequest,
    /// The agent is about to run a command in a skill's text.
    SkillCommand,
    /// The agent is about to use a changed configuration.
    ConfigChange,
    /// An MCP server of the agent asks its user to fill in a form.
    Elicitation,
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
        !matches!(self, Self::SessionEnd | Self::ConfigChange)
    }
}
