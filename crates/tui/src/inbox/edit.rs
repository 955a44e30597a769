//! Edited arguments, decision levels, and changes by others.

use crate::inbox::{
    message::{InboxAction, InboxCallKey, call_key},
    state::{InboxMode, InboxState, StatusTone},
};
use countersign_api as api;
use countersign_console::{escape_text, is_same_json};
use countersign_events::{Json, Timestamp};

impl InboxState {
    /// The edited arguments of the shown call.
    pub(crate) fn edit_of_shown(&self) -> Option<&Json> {
        self.shown.as_ref().and_then(|shown| self.notes.get(shown)?.edited.as_ref())
    }

    /// Opens the editor, with earlier edits if there are any.
    pub(crate) fn start_editing(&mut self, now: Timestamp) -> Option<InboxAction> {
        if !self.may_decide(now) {
            return None;
        }
        let call = &self.current()?.call;
        let action =
            InboxAction::Edit(call_key(call), self.edit_of_shown().unwrap_or(&call.arguments).clone());
        self.status = None;
        Some(action)
    }

    /// Applies the editor's result. Text equal to the proposal removes the edit. Keys that were meant for the editor
    /// may arrive here, so the guard starts.
    pub(crate) fn edited(
        &mut self,
        call: &InboxCallKey,
        written: Result<Option<Json>, String>,
        now: Timestamp,
    ) {
        self.guard.start(now);
        let waiting = self.calls.iter().find(|waiting| call_key(&waiting.call) == *call);
        let Some(proposed) = waiting.map(|waiting| waiting.call.arguments.clone()) else { return };
        match written {
            Err(why) => self.set_status(StatusTone::Bad, escape_text(&why)),
            Ok(None) => self.set_status(StatusTone::Calm, "The arguments are unchanged."),
            Ok(Some(json)) => {
                let same = is_same_json(&proposed, &json);
                self.notes_of(call).edited = (!same).then_some(json);
                self.require_reading(call);
                self.set_status(
                    StatusTone::Calm,
                    if same {
                        "The arguments are as proposed again."
                    } else {
                        "o allows the edited call once. e edits it again."
                    },
                );
            }
        }
    }

    /// Chooses the next level for the decision, and none after the last.
    pub(crate) fn next_level(&mut self) {
        let request = self.current().and_then(|waiting| waiting.call.request.as_ref());
        let levels = request.map(|request| request.available_levels.clone()).unwrap_or_default();
        let Some(notes) = self.shown_notes() else { return };
        let at = notes.level.as_ref().and_then(|level| levels.iter().position(|one| one == level));
        notes.level = levels.get(at.map_or(0, |at| at + 1)).cloned();
        // The previews are about the decision's level.
        notes.previews = None;
        self.set_status(
            StatusTone::Calm,
            if levels.is_empty() { "This call has no levels to choose from." } else { "" },
        );
    }

    /// Applies a change to a pending call. If its arguments changed, the person must read it again.
    pub(crate) fn changed(&mut self, call: api::Call, aloud: bool, now: Timestamp) -> Vec<InboxAction> {
        let name = call_key(&call);
        let known =
            self.calls.iter_mut().find(|waiting| call_key(&waiting.call) == name && waiting.gone.is_none());
        let Some(known) = known.filter(|_| call.is_pending()) else { return Vec::new() };
        let other = known.call.arguments_hash != call.arguments_hash;
        known.call = call;
        let shown = self.shown.as_ref() == Some(&name);
        if shown {
            self.page.of = None;
        }
        if other {
            self.notes_of(&name).edited = None;
            self.require_reading(&name);
        }
        if other && shown {
            if matches!(self.mode, InboxMode::ChoosingScope(_) | InboxMode::Answering(_)) {
                self.mode = InboxMode::Reading;
            }
            self.guard.start(now);
            self.set_status(StatusTone::Bad, "The arguments have changed. Read them again, then decide.");
        }
        if aloud { vec![InboxAction::Ring] } else { Vec::new() }
    }
}
