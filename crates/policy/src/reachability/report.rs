//! The answer to a question.

use super::things::WitnessStrength;
use countersign_events::{Basis, Json, Verdict};

/// A call that the search judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachCall {
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Json,
    /// The MCP server, if a rule needs one.
    pub server: Option<String>,
    /// The thread, if a rule needs one.
    pub thread: Option<String>,
    /// What kind of call it is.
    pub form: ReachForm,
}

/// A kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReachForm {
    /// A command line.
    Command,
    /// A call of an agent's own tool.
    Tool,
    /// A call of an MCP server's tool.
    McpTool,
}

impl ReachForm {
    /// Its name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Tool => "tool",
            Self::McpTool => "mcpTool",
        }
    }
}

/// A call that the policy allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachWitness {
    /// The call.
    pub call: ReachCall,
    /// The rules that allow it together. Empty if the default or the tool does.
    pub rules: Vec<String>,
    /// What allows it.
    pub basis: Basis,
    /// The reason, as text for people.
    pub reason: String,
    /// How certain it is that the call does it.
    pub strength: WitnessStrength,
}

/// The answer to calls that are not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachAnswer {
    /// The verdict: ask or block.
    pub verdict: Verdict,
    /// The rule that decides, if a rule does.
    pub rule: Option<String>,
    /// The kind of source that decides.
    pub basis: Basis,
    /// The advisor that may answer in place of people.
    pub advisor: Option<String>,
    /// The number of calls with this answer.
    pub calls: usize,
    /// One of them.
    pub example: ReachCall,
    /// The reason for it.
    pub reason: String,
}

/// The answer to a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReachReport {
    /// Calls that the policy allows, the certain ones first: the first of each set of rules and form of calls.
    pub witnesses: Vec<ReachWitness>,
    /// The answers to all other calls, the strictest first.
    pub others: Vec<ReachAnswer>,
    /// The number of calls that were judged.
    pub tried: usize,
    /// Whether the budget sufficed for all calls.
    pub is_complete: bool,
    /// The rules that would allow a call if one of their conditions held, and no call was found for which it does.
    pub unmet_rules: Vec<String>,
    /// The rules that allow a tool with the thing among its arguments, of which it is not known what it does.
    pub unknown_tools: Vec<String>,
}
