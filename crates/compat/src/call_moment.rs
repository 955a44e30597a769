//! What happens to calls, as clients of other systems show it.

use countersign_events::EventType;

/// What happened to a call, as far as a client that shows it needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallMoment {
    /// People are asked.
    Asked,
    /// An executor runs it.
    Started,
    /// It has ended: it ran, or it does not run.
    Ended,
}

impl CallMoment {
    /// The moment that an event of this type is; `None` if clients need not know.
    pub(crate) const fn of_event(kind: EventType) -> Option<Self> {
        match kind {
            EventType::ApprovalRequest => Some(Self::Asked),
            EventType::ExecutionStarted | EventType::ExecutionTakenOver => Some(Self::Started),
            EventType::ToolResult => Some(Self::Ended),
            _ => None,
        }
    }
}
