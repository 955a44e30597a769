//! What an approval *is*: the events, the state of a call, what may happen next, the policy, and
//! canonical JSON. No I/O, no async and no clock: time comes in as an argument, so every rule tests
//! in microseconds.
//!
//! The two functions everything turns on are [`decide`](decide::decide) (state and command in, events
//! or a refusal out) and [`Call::evolve`] (state and event in, state out).

pub mod admissibility;
pub mod batch;
pub mod call;
pub mod chain;
pub mod decide;
pub mod event;
pub mod id;
pub mod json;
#[cfg(feature = "openapi")]
mod openapi;
pub mod pattern;
pub mod policy;
pub mod principal;
pub mod redact;
pub mod refused;
pub mod replay;
pub mod thread;
pub mod timestamp;
pub mod width;

pub use batch::{
    AppliedCommand, BatchState, Command, CommandEnvelope, CommandTarget, ReadSet, RecordedEvent,
};
pub use call::{Call, Standing, State};
pub use decide::{CallCommand, CommandEvidence, DecisionContext, NewEvent, ThreadCommand};
pub use event::{Body, Event, EventType};
pub use id::{CallId, ThreadId, ToolName};
pub use json::{Json, Sha256};
pub use policy::Policy;
pub use principal::Principal;
pub use refused::Refused;
pub use thread::Thread;
pub use timestamp::Timestamp;
pub use width::Width;

/// A row of the log that cannot be what this version, or any, wrote: it is reported, never skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} is damaged: {what}")]
pub struct Damaged {
    /// The row's `seq`.
    pub seq: i64,
    /// What does not hold of it.
    pub what: String,
}
