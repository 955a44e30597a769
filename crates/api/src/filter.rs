//! The filter of lists and streams.

use crate::{EffectPattern, EventType, Principal, Sha256, ThreadId, Timestamp, ToolName};

/// Selects events and calls. An empty filter selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// Only this thread.
    pub thread_id: Option<ThreadId>,
    /// Only events of one of these types. Lists of calls ignore it.
    pub types: Vec<EventType>,
    /// Only calls of this tool, the events about them, and tool policies for it.
    pub tool: Option<ToolName>,
    /// Only events that this principal caused, or calls that it proposed.
    pub principal: Option<Principal>,
    /// Only from this time on, inclusive: an event's time, of a proposal, or, in the list of pending calls, of a
    /// request.
    pub since: Option<Timestamp>,
    /// Only before this time, exclusive.
    pub until: Option<Timestamp>,
    /// Only calls that were proposed with these arguments. Only lists of calls use it.
    pub arguments_hash: Option<Sha256>,
    /// Only calls of this agent, as its hook names it in their place, and of its sub-agents: `claude-code` or
    /// `claude-code/explore`. Only lists of calls use it.
    pub agent: Option<String>,
    /// Only calls of this project folder. Only lists of calls use it.
    pub project: Option<String>,
    /// Only calls with a recorded effect on something that matches. Only lists of calls use it.
    pub touches: Option<EffectPattern>,
}

impl LogFilter {
    /// Creates a filter that selects everything in one thread.
    #[must_use]
    pub fn of_thread(thread_id: &ThreadId) -> Self {
        Self { thread_id: Some(thread_id.clone()), ..Self::default() }
    }
}
