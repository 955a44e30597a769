//! Advice and complaints that arrive after a call ends. Calls are read from the log up to their end, and an advisor may
//! answer later.

use countersign_approvals::{Call, call::RecordedFact};
use countersign_events::{ApprovalAdvice, Body, CallFlagged, CallId, Event, EventType, ThreadId};
use std::collections::HashMap;

/// The advice of one advisor and the complaints of people, by call.
#[derive(Debug)]
pub struct LateFacts {
    advisor: String,
    calls: HashMap<(ThreadId, CallId), LateCallFacts>,
    damaged: u64,
}

#[derive(Debug, Default)]
struct LateCallFacts {
    advice: Option<RecordedFact<ApprovalAdvice>>,
    flags: Vec<RecordedFact<CallFlagged>>,
}

impl LateFacts {
    /// The event types that [`add_event`](Self::add_event) uses.
    pub const EVENT_TYPES: &[EventType] = &[EventType::ApprovalAdvice, EventType::CallFlagged];

    /// Creates an empty collection for an advisor.
    #[must_use]
    pub fn new(advisor: &str) -> Self {
        Self { advisor: advisor.to_owned(), calls: HashMap::new(), damaged: 0 }
    }

    /// Adds a log event. Events about other things change nothing.
    pub fn add_event(&mut self, event: &Event) {
        match Body::read(event.seq, event.kind, &event.data) {
            Ok(Body::ApprovalAdvice(advice)) if advice.advisor == self.advisor => {
                let key = (event.thread_id.clone(), advice.tool_call_id.clone());
                let facts = self.calls.entry(key).or_default();
                facts.advice = Some(RecordedFact::from_event(event, advice));
            }
            Ok(Body::CallFlagged(flagged)) => {
                let key = (event.thread_id.clone(), flagged.tool_call_id.clone());
                let facts = self.calls.entry(key).or_default();
                facts.flags.push(RecordedFact::from_event(event, flagged));
            }
            Ok(_) => {}
            Err(_) => self.damaged += 1,
        }
    }

    /// The call with its missing facts added.
    #[must_use]
    pub fn complete_call(&self, call: &Call) -> Call {
        let mut call = call.clone();
        let Some(facts) = self.calls.get(&(call.thread_id.clone(), call.id().clone())) else { return call };
        let course = &mut call.course;
        if let Some(advice) = &facts.advice
            && !course.advice.iter().any(|known| known.seq == advice.seq)
        {
            course.advice.push(advice.clone());
        }
        for flag in &facts.flags {
            if !course.flags.iter().any(|known| known.seq == flag.seq) {
                course.flags.push(flag.clone());
            }
        }
        call
    }

    /// The number of events that cannot be read.
    #[must_use]
    pub const fn damaged_count(&self) -> u64 {
        self.damaged
    }
}
