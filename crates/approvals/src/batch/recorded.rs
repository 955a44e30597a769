//! The events that a command produced, with their typed bodies.

use crate::{Body, Event, Refused};
use std::{ops::Deref, sync::Arc};

/// An event that this process appended, with its typed body. Consumers in the same process use the body and do
/// not parse the JSON of an event that was just created.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    /// The row.
    pub event: Arc<Event>,
    /// The typed form of the row's `data`.
    pub body: Body,
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
    /// Success, or the reason why the command was refused.
    pub outcome: Result<(), Refused>,
    /// The events to write. A refused command can have some, too: those that were due on its call before it.
    pub events: Vec<RecordedEvent>,
}
