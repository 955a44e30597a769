//! Taking back the last approval from this inbox.

use crate::inbox::{
    decide::NOT_CONFIRMED,
    message::{InboxAction, InboxCallKey},
    state::{InboxState, StatusTone},
};
use countersign_console::escape_text;

impl InboxState {
    /// Takes back the last approval, which needs no confirmation: the call then does not run.
    pub(crate) fn take_back(&mut self) -> Option<InboxAction> {
        if self.sending.is_some() {
            self.set_status(StatusTone::Calm, NOT_CONFIRMED);
            return None;
        }
        let Some(call) = self.last_allowed.take() else {
            let text = "Nothing to take back here. To end a session grant: countersign grant revoke";
            self.set_status(StatusTone::Calm, text);
            return None;
        };
        let id = escape_text(call.1.as_str());
        self.set_status(StatusTone::Calm, format!("Taking the approval of {id} back…"));
        Some(InboxAction::TakeBack(call))
    }

    /// Shows the log's answer.
    pub(crate) fn note_take_back(&mut self, call: &InboxCallKey, answer: Result<(), String>) {
        let id = escape_text(call.1.as_str());
        match answer {
            Ok(()) => {
                self.allowed = self.allowed.saturating_sub(1);
                self.recent.correct(call, &format!("taken back by {}", escape_text(self.me.as_str())));
                let text = format!("Took the approval of {id} back: it does not run.");
                self.set_status(StatusTone::Good, text);
            }
            Err(why) => {
                self.set_status(StatusTone::Bad, format!("The approval of {id} stays: {why}."));
            }
        }
    }
}
