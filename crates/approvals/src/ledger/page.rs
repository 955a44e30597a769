//! What is known of one thread: what holds for it, and its calls.

use super::Order;
use crate::{Call, Context, Standing, Thread};
use countersign_events::{Body, CallId, Damaged, Event, Sha256, ThreadId};
use std::collections::{HashMap, HashSet};

/// What is known of one thread.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Whether `thread` was read from the log, and not only some of its calls.
    pub(super) is_read: bool,
    /// The arguments of which it is known what people decided on them of late.
    pub(super) alike: HashSet<Sha256>,
    pub(super) thread: Thread,
    /// The calls that are known; `None` is known not to be there.
    pub(super) calls: HashMap<CallId, Option<Call>>,
}

impl Page {
    pub(super) fn call(&self, id: &CallId) -> Option<&Call> {
        self.calls.get(id)?.as_ref()
    }

    pub(super) fn context<'a>(&'a self, thread_id: &'a ThreadId, order: &'a Order) -> Context<'a> {
        Context { thread_id, thread: &self.thread, policy: &order.policy, by: &order.by, now: order.now }
    }

    /// The calls that wait for people, the oldest first.
    pub(super) fn pending(&self) -> Vec<&Call> {
        let waits = |call: &&Call| matches!(call.standing, Standing::Pending { .. } | Standing::Proposed);
        let mut pending: Vec<_> = self.calls.values().flatten().filter(waits).collect();
        pending.sort_by_key(|call| call.proposal.seq);
        pending
    }

    pub(super) fn evolve(&mut self, event: &Event, body: Body) -> Result<(), Damaged> {
        let id = subject(&body);
        let Some(id) = id.cloned() else {
            self.thread.evolve(event, &body, None);
            return Ok(());
        };
        let before = self.calls.remove(&id).flatten();
        self.thread.evolve(event, &body, before.as_ref());
        let after = Call::evolve(before, event, body)?;
        self.calls.insert(id, after);
        Ok(())
    }
}

/// The call that an event speaks of, if it speaks of one.
pub(super) fn subject(body: &Body) -> Option<&CallId> {
    match body {
        Body::ToolCall(call) => Some(&call.id),
        Body::ApprovalRequest(request) => Some(&request.tool_call_id),
        Body::ApprovalVote(vote) => Some(&vote.tool_call_id),
        Body::ApprovalReminder(reminder) => Some(&reminder.tool_call_id),
        Body::ApprovalEscalated(escalated) => Some(&escalated.tool_call_id),
        Body::ApprovalResponse(response) => Some(&response.tool_call_id),
        Body::ExecutionStarted(claim) => Some(&claim.tool_call_id),
        Body::ExecutionReleased(released) => Some(&released.tool_call_id),
        Body::ExecutionTakenOver(taken) => Some(&taken.started.tool_call_id),
        Body::ToolResult(result) => Some(&result.tool_call_id),
        _ => None,
    }
}
