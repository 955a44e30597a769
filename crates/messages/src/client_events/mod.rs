//! What happens to calls, as the events that clients of other systems read.

mod agent_world;
mod opey;

pub use agent_world::{
    write_approval_message, write_world_failure, write_world_message, write_world_note, write_world_request,
};
pub use opey::{write_opey_event, write_opey_failure};

use countersign_events::EventType;

/// What happened to a call, as far as a client that shows it needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMoment {
    /// People are asked.
    Asked,
    /// An executor runs it.
    Started,
    /// It has ended: it ran, or it does not run.
    Ended,
}

impl CallMoment {
    /// The moment that an event of this type is; `None` if clients need not know.
    #[must_use]
    pub const fn of_event(kind: EventType) -> Option<Self> {
        match kind {
            EventType::ApprovalRequest => Some(Self::Asked),
            EventType::ExecutionStarted | EventType::ExecutionTakenOver => Some(Self::Started),
            EventType::ToolResult => Some(Self::Ended),
            _ => None,
        }
    }
}
