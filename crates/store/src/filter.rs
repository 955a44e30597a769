//! The filter for lists and streams of events and calls.

use countersign_approvals::{Call, access::VisibleThreads};
use countersign_events::{
    CallId, EffectPattern, Event, EventType, Place, Principal, Sha256, ThreadId, Timestamp, ToolName,
    ToolPolicySet,
};

/// Conditions on the items of a list or a stream. An item must meet all conditions that are set. The default has no
/// condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only this thread.
    pub thread_id: Option<ThreadId>,
    /// Only these threads. It narrows pages after they are read.
    pub threads: VisibleThreads,
    /// Only events of one of these types; empty for all types. Lists of calls ignore it.
    pub types: Vec<EventType>,
    /// Only calls of this tool, the events about them, and tool policies for it.
    pub tool: Option<ToolName>,
    /// Only events that this principal caused, or calls that it proposed.
    pub principal: Option<Principal>,
    /// Only from this moment on: of an event, a proposal, or, in the list of pending calls, a request.
    pub since: Option<Timestamp>,
    /// Only before this moment.
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

impl EventFilter {
    /// Selects everything in one thread.
    #[must_use]
    pub fn of_thread(thread_id: &ThreadId) -> Self {
        Self { thread_id: Some(thread_id.clone()), ..Self::default() }
    }

    /// Returns true if a condition other than the thread may leave out many items. Log-wide events do not matter here:
    /// they are few.
    pub(crate) fn is_narrower_than_thread(&self) -> bool {
        let (thread_id, threads) = (self.thread_id.clone(), self.threads.clone());
        !threads.has_all_threads() || *self != Self { thread_id, threads, ..Self::default() }
    }

    /// Returns true if the event meets all conditions except the tool, which most events do not name.
    pub(crate) fn admits(&self, event: &Event) -> bool {
        self.thread_id.as_ref().is_none_or(|thread_id| event.thread_id == *thread_id)
            && self.threads.admits(&event.thread_id)
            && (self.types.is_empty() || self.types.contains(&event.kind))
            && self.principal.as_ref().is_none_or(|by| event.principal == *by)
            && self.admits_moment(event.timestamp)
    }

    /// Returns true if a pending call meets the conditions.
    pub(crate) fn admits_pending(&self, call: &Call) -> bool {
        let proposal = &call.proposal;
        self.threads.admits(&call.thread_id)
            && self.tool.as_ref().is_none_or(|tool| proposal.what.name == *tool)
            && self.principal.as_ref().is_none_or(|by| proposal.by == *by)
            && self.admits_place(proposal.what.place.as_ref())
            && call.request().is_none_or(|request| self.admits_moment(request.at))
    }

    fn admits_place(&self, place: Option<&Place>) -> bool {
        let agent = place.and_then(|place| place.agent.as_deref());
        let project = place.and_then(|place| place.project.as_deref());
        let is_of = |wanted: &str| {
            let rest = agent.and_then(|agent| agent.strip_prefix(wanted));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.agent.as_deref().is_none_or(is_of)
            && self.project.as_deref().is_none_or(|wanted| project == Some(wanted))
    }

    fn admits_moment(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
    }
}

/// Reads the id of the event's call, without parsing the whole event.
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

/// Reads the tool that a proposal or a tool policy names.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_globs_of_threads_make_a_filter_narrower() {
        let narrower = |threads| EventFilter { threads, ..EventFilter::default() }.is_narrower_than_thread();
        let globs = |texts: &[&str]| {
            let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
            VisibleThreads::parse(&texts).expect("globs")
        };
        assert!(!narrower(globs(&[])));
        // An agent sees all threads, but no tokens and policies. Its pages must not cost more than those of others.
        assert!(!narrower(globs(&[]).without_whole_log()));
        assert!(narrower(globs(&["ci*"])));
    }
}
