//! An event that only a newer version can interpret.

use crate::Refused;
use countersign_events::{Event, NewerEvent, NewerType};

/// An event whose meaning this version does not know. Nothing that it concerns is decided or claimed, unless its author marked
/// it as harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownFact {
    /// The event's `seq`.
    pub seq: i64,
    /// Its type.
    pub kind: NewerType,
    /// Whether its author marked it as harmless.
    pub is_harmless: bool,
}

impl UnknownFact {
    /// Adds an event to the fact that represents all events before it: the first one that is not harmless, if there is
    /// one.
    pub(crate) fn add(known: &mut Option<Box<Self>>, event: &Event, newer: &NewerEvent) {
        if known.as_ref().is_none_or(|known| known.is_harmless && !newer.is_harmless) {
            *known =
                Some(Box::new(Self { seq: event.seq, kind: newer.kind, is_harmless: newer.is_harmless }));
        }
    }
}

impl From<UnknownFact> for Refused {
    fn from(UnknownFact { seq, kind, .. }: UnknownFact) -> Self {
        Self::UnknownEvent { seq, kind: kind.as_str().to_owned() }
    }
}
