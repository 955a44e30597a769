//! Which events, and which calls, somebody is after.

use countersign_approvals::Call;
use countersign_events::{
    CallId, Event, EventType, Principal, ThreadId, Timestamp, ToolName, event::ToolPolicySet,
};

/// What a list or a stream is to hold: what meets every part that is set. The default is everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only of that thread.
    pub thread_id: Option<ThreadId>,
    /// Only events of one of these types. Calls have no type and are not asked for it.
    pub types: Vec<EventType>,
    /// Only calls of that tool, and the events about them, and policies for it.
    pub tool: Option<ToolName>,
    /// Only events that this principal caused; only calls that it proposed.
    pub principal: Option<Principal>,
    /// Only from that moment on: of an event, a proposal, or, in the list of what waits, a request.
    pub since: Option<Timestamp>,
    /// Only before that moment.
    pub until: Option<Timestamp>,
}

impl EventFilter {
    /// Everything of that thread.
    #[must_use]
    pub fn of_thread(thread_id: &ThreadId) -> Self {
        Self { thread_id: Some(thread_id.clone()), ..Self::default() }
    }

    /// Whether it asks for more than a thread.
    pub(crate) fn is_narrower_than_thread(&self) -> bool {
        *self != Self { thread_id: self.thread_id.clone(), ..Self::default() }
    }

    /// Whether the event meets every part of it but the tool, which the event alone does not tell.
    pub(crate) fn admits(&self, event: &Event) -> bool {
        self.thread_id.as_ref().is_none_or(|thread_id| event.thread_id == *thread_id)
            && (self.types.is_empty() || self.types.contains(&event.kind))
            && self.principal.as_ref().is_none_or(|by| event.principal == *by)
            && self.admits_moment(event.timestamp)
    }

    /// Whether a call that waits meets it.
    pub(crate) fn admits_pending(&self, call: &Call) -> bool {
        let proposal = &call.proposal;
        self.tool.as_ref().is_none_or(|tool| proposal.what.name == *tool)
            && self.principal.as_ref().is_none_or(|by| proposal.by == *by)
            && call.request().is_none_or(|request| self.admits_moment(request.at))
    }

    fn admits_moment(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

/// The call that an event speaks of, read without reading the whole event.
pub(crate) fn read_call_id(event: &Event) -> Option<CallId> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct StoredId {
        id: Option<CallId>,
        tool_call_id: Option<CallId>,
    }
    let found: StoredId = event.data.read().ok()?;
    found.tool_call_id.or(found.id)
}

/// The tool that an event names itself: a call, or a thread's policy.
pub(crate) fn read_tool_name(event: &Event) -> Option<ToolName> {
    #[derive(serde::Deserialize)]
    struct NamedFilter {
        name: ToolName,
    }
    match event.kind {
        EventType::ToolCall => event.data.read::<NamedFilter>().ok().map(|call| call.name),
        EventType::ToolPolicySet => event.data.read::<ToolPolicySet>().ok().map(|set| set.tool),
        _ => None,
    }
}
