//! The call that a policy judges.

use countersign_events::{Json, Principal, ThreadId, ToolName, event::ToolDefinition};

/// The call that is judged.
#[derive(Debug, Clone, Copy)]
pub struct JudgedCall<'a> {
    /// The thread it belongs to.
    pub thread: &'a ThreadId,
    /// Who proposes it.
    pub principal: &'a Principal,
    /// The tool.
    pub tool: &'a ToolName,
    /// What it is to be run with.
    pub arguments: &'a Json,
    /// JSON pointers of what is masked in `arguments`: of that, nothing is known.
    pub redacted: &'a [String],
    /// Hints as MCP defines them.
    pub annotations: Option<&'a Json>,
    /// What the agent says it would do.
    pub impact: Option<&'a Json>,
    /// What is known of the tool.
    pub definition: Option<&'a ToolDefinition>,
}
