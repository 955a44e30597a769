//! The scope of a decision, its level, and edited arguments.

use crate::{
    inbox::{
        field::TextField,
        message::{InboxAction, InboxCallKey, call_key},
        state::{DECISION_DELAY, InboxMode, InboxState, StatusTone},
    },
    present::{editor::is_same_json, facts::describe_scope_preview, text::escape_text},
};
use countersign_api as api;
use countersign_gate::{
    Json, Timestamp,
    event::{Decision, SuggestedScope},
};
use crossterm::event::{KeyCode, KeyEvent};

impl InboxState {
    /// The scopes that the request offers, the narrowest first. Without an offer, the whole tool is the only scope.
    pub(crate) fn offered_scopes(&self) -> Vec<SuggestedScope> {
        let request = self.current().and_then(|waiting| waiting.call.request.as_ref());
        let offered = request.map(|request| request.scopes.clone()).unwrap_or_default();
        if !offered.is_empty() {
            return offered;
        }
        vec![SuggestedScope { scope: Json::string("tool"), says: "the whole tool".to_owned() }]
    }

    /// An offered scope in words, with its preview once that has arrived.
    pub(crate) fn describe_offer(&self, offered: &SuggestedScope) -> String {
        let previews = self.shown.as_ref().and_then(|shown| self.previews.get(shown));
        let preview = previews.and_then(|all| all.iter().find(|preview| preview.scope == offered.scope));
        let decision = match self.mode {
            InboxMode::ChoosingScope(decision) => decision,
            _ => Decision::AllowSession,
        };
        let describe = |preview| describe_scope_preview(preview, decision);
        preview.map_or_else(|| escape_text(&offered.says), describe)
    }

    /// Shows the scopes, and asks the gate for their previews.
    pub(crate) fn start_scope_choice(&mut self, decision: Decision, now: Timestamp) -> Option<InboxAction> {
        let may = if decision.allows() { self.may_allow(decision, now) } else { self.may_decide(now) };
        if !may {
            return None;
        }
        if decision.allows() && self.edit_of_shown().is_some() {
            self.set_status(StatusTone::Bad, "Edited arguments apply only to this call: o allows it once.");
            return None;
        }
        self.status = None;
        self.mode = InboxMode::ChoosingScope(decision);
        let scopes = self.offered_scopes().into_iter().map(|offered| offered.scope).collect();
        self.shown.clone().map(|shown| InboxAction::Preview(shown, scopes))
    }

    /// Handles a key while a scope is chosen. An allowance is sent at once; a denial asks for a comment first.
    pub(crate) fn choose_scope(
        &mut self,
        decision: Decision,
        pressed: KeyEvent,
        now: Timestamp,
    ) -> Option<InboxAction> {
        let number = match pressed.code {
            // A person who denies may start to type the comment too early. An "n" must not cancel the denial then.
            KeyCode::Char('n' | 'N') if !decision.allows() => None,
            KeyCode::Char('n' | 'N') | KeyCode::Esc => {
                self.set_status(StatusTone::Calm, "Nothing was decided.");
                return None;
            }
            KeyCode::Char(c) => c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1)),
            _ => None,
        };
        let Some(chosen) = number.and_then(|number| self.offered_scopes().into_iter().nth(number)) else {
            self.mode = InboxMode::ChoosingScope(decision);
            return None;
        };
        if decision.allows() {
            return self.allow(decision, Some(chosen.scope), now);
        }
        let begun = self.shown.as_ref().and_then(|shown| self.denials.get(shown));
        let field = begun.map_or_else(TextField::default, |text| TextField::holding(text));
        self.mode = InboxMode::WritingDenial(field, Some(chosen.scope));
        None
    }

    /// The edited arguments of the shown call.
    pub(crate) fn edit_of_shown(&self) -> Option<&Json> {
        self.shown.as_ref().and_then(|shown| self.edits.get(shown))
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

    /// Applies the result of the editor. Text equal to the proposal removes the edit.
    pub(crate) fn edited(&mut self, call: &InboxCallKey, written: Result<Option<Json>, String>) {
        let waiting = self.calls.iter().find(|waiting| call_key(&waiting.call) == *call);
        let Some(proposed) = waiting.map(|waiting| waiting.call.arguments.clone()) else { return };
        match written {
            Err(why) => self.set_status(StatusTone::Bad, escape_text(&why)),
            Ok(None) => self.set_status(StatusTone::Calm, "The arguments are unchanged."),
            Ok(Some(json)) if is_same_json(&proposed, &json) => {
                self.edits.remove(call);
                self.require_reading(call);
                self.set_status(StatusTone::Calm, "The arguments are as proposed again.");
            }
            Ok(Some(json)) => {
                self.edits.insert(call.clone(), json);
                self.require_reading(call);
                self.set_status(StatusTone::Calm, "o allows the edited call once. e edits it again.");
            }
        }
    }

    /// Chooses the next level for the decision, and none after the last.
    pub(crate) fn next_level(&mut self) {
        let Some(shown) = self.shown.clone() else { return };
        let request = self.current().and_then(|waiting| waiting.call.request.as_ref());
        let levels = request.map(|request| request.available_levels.clone()).unwrap_or_default();
        let at = self.levels.get(&shown).and_then(|level| levels.iter().position(|one| one == level));
        match levels.get(at.map_or(0, |at| at + 1)) {
            Some(level) => drop(self.levels.insert(shown, level.clone())),
            None => drop(self.levels.remove(&shown)),
        }
        self.set_status(
            StatusTone::Calm,
            if levels.is_empty() { "This call has no levels to choose from." } else { "" },
        );
    }

    /// Applies a change of a pending call. If its arguments changed, the person must read it again.
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
            self.edits.remove(&name);
            self.require_reading(&name);
        }
        if other && shown {
            if matches!(self.mode, InboxMode::ChoosingScope(_)) {
                self.mode = InboxMode::Reading;
            }
            self.hold = Some(now.after(DECISION_DELAY));
            self.set_status(StatusTone::Bad, "The arguments have changed. Read them again, then decide.");
        }
        if aloud { vec![InboxAction::Ring] } else { Vec::new() }
    }
}
