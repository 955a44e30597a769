//! The events that a command produced, with their typed bodies.

use crate::CommandFailure;
use countersign_events::{Body, Event};
use std::{ops::Deref, sync::Arc};

/// An event that this process appended, with its typed body. Consumers in the same process use the body, so the new
/// event's JSON is not parsed again.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    /// The row.
    pub event: Arc<Event>,
    /// The row's `data` in typed form.
    pub body: Arc<Body>,
}

impl Deref for RecordedEvent {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.event
    }
}

/// The outcome of applying one command to a [`BatchState`](super::BatchState).
#[derive(Debug)]
pub struct AppliedCommand {
    /// Success, or the reason why the command was not executed.
    pub outcome: Result<(), CommandFailure>,
    /// The events to write. A refused command can also have some: those that were due on its call before it.
    pub events: Vec<RecordedEvent>,
}
