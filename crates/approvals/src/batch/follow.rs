//! Keeping a state up to date with the events that other processes append.

use super::{
    BatchState,
    thread_state::{ThreadState, event_bytes},
};
use countersign_events::{Body, DamagedEvent, Event, EventGroup, chain};

impl BatchState {
    /// Applies the event after the tip, which another process has appended. Afterwards everything that the state has is
    /// as a reload would give it; what cannot be continued is forgotten, and read again when a command needs it.
    ///
    /// Fails if the event does not continue the hash chain or cannot be read. The state must then be discarded.
    pub fn follow(&mut self, event: &Event) -> Result<(), DamagedEvent> {
        let link = chain::link(self.link, event);
        if event.seq != self.tip + 1 || event.hash.is_some_and(|hash| hash != link) {
            let what = format!("it does not continue the log after event {}", self.tip);
            return Err(DamagedEvent { seq: event.seq, what });
        }
        if let Some(group) = event.kind.group().filter(|group| group.is_of_whole_log()) {
            if self.registries.follows(group) {
                let body = Body::read(event.seq, event.kind, &event.data)?;
                self.registries.evolve(event, &body);
                self.is_policy_read |= group == EventGroup::Policy;
            }
        } else if let Some(thread) = self.threads.get_mut(&event.thread_id) {
            self.added_bytes += event_bytes(event);
            if !thread.follow(event)? {
                self.threads.remove(&event.thread_id);
            }
        }
        (self.tip, self.link) = (event.seq, link);
        Ok(())
    }
}

impl ThreadState {
    /// Applies an event of another process. Returns false if a part is missing that the event changes.
    fn follow(&mut self, event: &Event) -> Result<bool, DamagedEvent> {
        if !self.is_read {
            return Ok(false);
        }
        let body = Body::read(event.seq, event.kind, &event.data)?;
        let Some(id) = body.call_id().cloned() else {
            self.thread.evolve(event, &body, None);
            return Ok(true);
        };
        if self.call(&id).is_none() && !matches!(body, Body::ToolCall(_)) {
            // A call that was not read, or that has ended. Of its events, only a response changes the thread in a way
            // that depends on the call.
            let changes_thread = matches!(body, Body::ApprovalResponse(_));
            if !changes_thread {
                self.thread.evolve(event, &body, None);
            }
            return Ok(!changes_thread);
        }
        self.evolve(event, body)?;
        self.forget_ended(std::iter::once(&id));
        Ok(true)
    }
}
