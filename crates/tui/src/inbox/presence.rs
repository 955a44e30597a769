//! Reads again if the shown call's agent still waits: an agent that leaves writes no event.

use crate::inbox::{
    message::{InboxAction, call_key},
    state::InboxState,
};
use countersign_api as api;
use countersign_events::Timestamp;
use std::time::Duration;

/// How often the agent's presence is read again while its call is on the screen.
pub(crate) const PRESENCE_INTERVAL: Duration = Duration::from_secs(10);

impl InboxState {
    /// The action that reads whether the shown call's agent is present, if it is time for it.
    pub(crate) fn read_presence(&mut self, now: Timestamp) -> Option<InboxAction> {
        let shown = self.current().filter(|waiting| waiting.gone.is_none())?;
        let key = call_key(&shown.call);
        let is_fresh = |(call, at): &(_, Timestamp)| *call == key && now.since(*at) < PRESENCE_INTERVAL;
        if self.lost.is_some() || self.presence_read.as_ref().is_some_and(is_fresh) {
            return None;
        }
        self.presence_read = Some((key.clone(), now));
        Some(InboxAction::ReadPresence(key))
    }

    /// Takes over the agent's presence, and nothing else: an event tells every other change.
    pub(crate) fn note_presence(&mut self, seen: &api::Call) {
        let key = call_key(seen);
        let known = self.calls.iter_mut().find(|waiting| call_key(&waiting.call) == key);
        if let Some(known) = known.filter(|_| seen.is_pending()) {
            known.call.proposer_last_seen_at = seen.proposer_last_seen_at;
            known.call.proposer_gone = seen.proposer_gone;
        }
    }
}
