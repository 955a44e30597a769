//! What an approval is: the state of a call and its thread, and the rules for what may happen next. This crate performs
//! no I/O and reads no clock: time is an argument, so every rule is tested in microseconds.
//!
//! Two functions contain the rules: [`decide`](decide::decide) takes a state and a command and returns events or a
//! refusal, and [`Call::evolve`] takes a state and an event and returns the next state.

pub mod access;
pub mod admissibility;
pub mod advisor_directory;
pub mod archivable;
pub mod batch;
pub mod call;
pub mod conversation;
pub mod decide;
pub mod pinned_tools;
pub mod refused;
pub mod registry;
mod same_call;
pub mod scope;
pub mod thread;
pub mod tool_directory;
pub mod webhook_directory;

pub use access::CommandCaller;
pub use batch::{
    AppliedCommand, ApprovalCommand, BatchState, CommandEnvelope, CommandTarget, PendingCount, PendingCounts,
    ReadSet, RecordedEvent,
};
pub use call::{Call, CallStanding, UnknownFact};
pub use countersign_proofs::pinned::PinnedKeys;
pub use decide::{
    CallCommand, CommandEvidence, CommandFailure, DecisionContext, NeededEvidence, NewEvent, ThreadCommand,
};
pub use refused::Refused;
pub use registry::LogCommand;
pub use same_call::ArgumentsIdentity;
pub use scope::GrantScope;
pub use thread::Thread;
