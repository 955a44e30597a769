//! The call that a policy judges.

use countersign_events::{Json, Place, Principal, ThreadId, ToolDefinition, ToolName};

/// A tool call to judge.
#[derive(Debug, Clone, Copy)]
pub struct JudgedCall<'a> {
    /// The thread it belongs to.
    pub thread: &'a ThreadId,
    /// The principal that proposes the call.
    pub principal: &'a Principal,
    /// The tool.
    pub tool: &'a ToolName,
    /// Where the call runs, if its proposer says so.
    pub place: Option<&'a Place>,
    /// The arguments.
    pub arguments: &'a Json,
    /// JSON pointers to the masked values in `arguments`. Those values are unknown.
    pub redacted: &'a [String],
    /// The tool's annotations, as MCP defines them.
    pub annotations: Option<&'a Json>,
    /// The impact that the agent claims.
    pub impact: Option<&'a Json>,
    /// The tool's definition, if known.
    pub definition: Option<&'a ToolDefinition>,
}
