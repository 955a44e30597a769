//! Finds the tool that an event is about. Only the call's proposal names it, and a follower may start after the
//! proposal.

use crate::{
    Store, StoreError,
    filter::{read_call_id, read_tool_name},
};
use countersign_events::{CallId, Event, EventType, ThreadId, ToolName};
use std::collections::HashMap;

/// The most calls in memory, whose names have up to 1 KiB each. At this number all are dropped, and later events look
/// them up again.
const MAX_KNOWN_CALLS: usize = 2_000;

/// The calls that a follower has met, each with whether it calls the tool.
#[derive(Default)]
pub(super) struct CallTools {
    known: HashMap<(ThreadId, CallId), bool>,
}

impl CallTools {
    /// Returns true if the event is about a call of `tool` or sets a policy for it.
    pub(super) async fn is_about_tool(
        &mut self,
        tool: &ToolName,
        event: &Event,
        store: &Store,
    ) -> Result<bool, StoreError> {
        if event.kind == EventType::ToolPolicySet {
            return Ok(read_tool_name(event).as_ref() == Some(tool));
        }
        if !event.kind.is_about_a_call() {
            return Ok(false);
        }
        let Some(id) = read_call_id(event) else { return Ok(false) };
        let key = (event.thread_id.clone(), id);
        let is_about_tool = match (event.kind, self.known.get(&key)) {
            (EventType::ToolCall, _) => read_tool_name(event).as_ref() == Some(tool),
            (_, Some(known)) => *known,
            (_, None) => store.tool_of_call(&key.0, &key.1).await?.as_deref() == Some(tool.as_str()),
        };
        if event.kind == EventType::ToolResult {
            self.known.remove(&key);
        } else {
            if self.known.len() >= MAX_KNOWN_CALLS {
                self.known.clear();
            }
            self.known.insert(key, is_about_tool);
        }
        Ok(is_about_tool)
    }
}
