//! What a client of Opey reads on each of its streams, and when the stream ends.

use super::events::{write_old_end, write_opey_event, write_opey_failure, write_opey_message};
use crate::{
    call_moment::CallMoment,
    dialect::{ThreadDialect, WrittenEvents},
};
use countersign_api::{Call, GateError};
use countersign_events::{CallId, Event, EventType, Json};
use std::{collections::BTreeSet, time::Duration};

/// The last message of a stream that ends.
pub(super) const DONE: &str = "[DONE]";

/// A chat stream ends this time after a request, and not at once: an agent may ask about several calls.
const SETTLE: Duration = Duration::from_secs(1);

/// The streams of Opey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpeyStream {
    /// A page watches its thread, without end.
    Page,
    /// `POST /approval/{thread}`: what follows a decision, until its calls have ended.
    Decision,
    /// `POST /stream`: what follows a message or a decision, until the agent has said its last word or asks.
    Chat,
}

/// The events of Opey for one client.
pub(super) struct OpeyDialect {
    pub(super) stream: OpeyStream,
    /// The calls that the client was asked about.
    pub(super) asked: BTreeSet<CallId>,
    /// The calls that the client has just decided.
    pub(super) decided: BTreeSet<CallId>,
    /// Those of them that have not ended.
    pub(super) open: BTreeSet<CallId>,
    /// Calls that wait for another decision, whose own stream tells what follows it.
    pub(super) waiting: BTreeSet<CallId>,
    /// The last event of the thread before the request. The client has seen what happened to other calls until then.
    pub(super) before: i64,
    /// Whether a call's end is also written under its old name.
    pub(super) has_old_ends: bool,
    /// Whether the stream has asked about a call.
    pub(super) is_asking: bool,
}

impl OpeyDialect {
    /// The dialect of a stream after the event `before`.
    pub(super) fn new(stream: OpeyStream, before: i64) -> Self {
        Self {
            stream,
            asked: BTreeSet::new(),
            decided: BTreeSet::new(),
            open: BTreeSet::new(),
            waiting: BTreeSet::new(),
            before,
            has_old_ends: false,
            is_asking: false,
        }
    }

    /// Whether another stream tells the client what happens to this call.
    fn is_told_elsewhere(&self, call: &CallId) -> bool {
        self.stream == OpeyStream::Chat && (self.waiting.contains(call) || self.asked.contains(call))
    }

    /// Whether the stream ends because the decided calls have.
    fn is_complete(&self) -> bool {
        self.open.is_empty() && (self.stream == OpeyStream::Decision || !self.waiting.is_empty())
    }

    fn ask(&mut self, call: &Call) -> WrittenEvents {
        if !self.asked.insert(call.id.clone()) {
            return WrittenEvents::default();
        }
        self.is_asking = true;
        WrittenEvents { events: vec![write_opey_event(CallMoment::Asked, call)], end: None }
    }
}

impl ThreadDialect for OpeyDialect {
    fn write_moment(&mut self, moment: CallMoment, call: &Call, event: &Event) -> WrittenEvents {
        let is_decided = self.decided.contains(&call.id);
        if !is_decided && event.seq <= self.before {
            return WrittenEvents::default();
        }
        if moment == CallMoment::Asked {
            return if is_decided { WrittenEvents::default() } else { self.ask(call) };
        }
        if !is_decided && self.is_told_elsewhere(&call.id) {
            // The client has answered the request that this stream ended with, or another person has.
            let end = (self.asked.contains(&call.id) && self.open.is_empty()).then_some(DONE);
            return WrittenEvents { events: Vec::new(), end };
        }
        let mut events = vec![write_opey_event(moment, call)];
        let mut end = None;
        if moment == CallMoment::Ended {
            events.extend(write_old_end(call).filter(|_| self.has_old_ends));
            end = (self.open.remove(&call.id) && self.is_complete()).then_some(DONE);
        }
        WrittenEvents { events, end }
    }

    fn write_message(&mut self, event: &Event, _: &[String]) -> WrittenEvents {
        let is_said = event.kind == EventType::AgentMessage && event.seq > self.before;
        if self.stream != OpeyStream::Chat || !is_said {
            return WrittenEvents::default();
        }
        let Some((events, is_last)) = write_opey_message(event) else { return WrittenEvents::default() };
        WrittenEvents { events, end: (is_last && self.open.is_empty()).then_some(DONE) }
    }

    fn write_failure(&self, error: &GateError) -> Json {
        write_opey_failure(error.code.as_str(), &error.detail)
    }

    fn patience(&self, span: Duration) -> Option<Duration> {
        match (self.open.is_empty(), self.is_asking) {
            (false, _) => None,
            (true, true) => Some(SETTLE),
            (true, false) => Some(span),
        }
    }
}
