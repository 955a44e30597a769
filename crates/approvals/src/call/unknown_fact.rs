//! An event that only a newer version can interpret.

use crate::Refused;
use countersign_events::{
    Event,
    event::{NewerEvent, NewerType},
};

/// An event whose meaning this version does not know. Nothing that it concerns is decided or claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownFact {
    /// The `seq` of the event.
    pub seq: i64,
    /// Its type.
    pub kind: NewerType,
}

impl UnknownFact {
    /// The fact; `None` if its author says that it is harmless.
    #[must_use]
    pub fn from_event(event: &Event, newer: &NewerEvent) -> Option<Box<Self>> {
        (!newer.is_harmless).then(|| Box::new(Self { seq: event.seq, kind: newer.kind }))
    }
}

impl From<UnknownFact> for Refused {
    fn from(UnknownFact { seq, kind }: UnknownFact) -> Self {
        Self::UnknownEvent { seq, kind: kind.as_str().to_owned() }
    }
}
