//! Decisions that are more than yes or no: how wide they are remembered, at which level they are made, and what is to
//! run instead.

use super::{Field, HOLD, Inbox, Key, Mode, Tone, Wish, key};
use crate::output::visible;
use countersign_api as api;
use countersign_gate::{Json, Timestamp, event::Decision};
use crossterm::event::{KeyCode, KeyEvent};

impl Inbox {
    /// The widths that are offered for the shown call, the narrowest first. A server of before names none, and takes
    /// the whole tool.
    pub(in crate::commands::watch) fn widths(&self) -> Vec<api::ScopePreview> {
        let request = self.current().and_then(|waiting| waiting.call.request.as_ref());
        let offered = request.map(|request| request.would_also_match.clone()).unwrap_or_default();
        if !offered.is_empty() {
            return offered;
        }
        vec![api::ScopePreview {
            matches: Json::string("tool"),
            says: "the whole tool".to_owned(),
            allows: 0,
            denies: 0,
            calls: Vec::new(),
            of: 0,
        }]
    }

    pub(in crate::commands::watch) fn start_widening(&mut self, decision: Decision, now: Timestamp) {
        let may = if decision.allows() { self.may_allow(decision, now) } else { self.may_decide(now) };
        if !may {
            return;
        }
        if decision.allows() && self.edit_of_shown().is_some() {
            self.say(Tone::Bad, "What you changed is for this call alone: o allows it, once.");
            return;
        }
        self.status = None;
        self.mode = Mode::Widening(decision);
    }

    /// Takes the number of a width. Allowing goes off with it; a denial is written first.
    pub(in crate::commands::watch) fn widen(
        &mut self,
        decision: Decision,
        pressed: KeyEvent,
        now: Timestamp,
    ) -> Option<Wish> {
        let number = match pressed.code {
            // Whoever denies goes on to write why. Begun too early, a "no" must not leave here and then allow.
            KeyCode::Char('n' | 'N') if !decision.allows() => None,
            KeyCode::Char('n' | 'N') | KeyCode::Esc => {
                self.say(Tone::Calm, "Nothing was decided.");
                return None;
            }
            KeyCode::Char(c) => c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1)),
            _ => None,
        };
        let Some(width) = number.and_then(|number| self.widths().into_iter().nth(number)) else {
            self.mode = Mode::Widening(decision);
            return None;
        };
        if decision.allows() {
            return self.allow(decision, Some(width.matches), now);
        }
        let begun = self.shown.as_ref().and_then(|shown| self.denials.get(shown));
        let field = begun.map_or_else(Field::default, |text| Field::holding(text));
        self.mode = Mode::Denying(field, Some(width.matches));
        None
    }

    /// What is to run instead of what the shown call proposes.
    pub(in crate::commands::watch) fn edit_of_shown(&self) -> Option<&Json> {
        self.shown.as_ref().and_then(|shown| self.edits.get(shown))
    }

    /// Has the arguments changed, from where they were left.
    pub(in crate::commands::watch) fn start_editing(&mut self, now: Timestamp) -> Option<Wish> {
        if !self.may_decide(now) {
            return None;
        }
        let call = &self.current()?.call;
        let wish = Wish::Edit(key(call), self.edit_of_shown().unwrap_or(&call.arguments).clone());
        self.status = None;
        Some(wish)
    }

    /// Takes in what was written in the editor. What is as it was proposed is no change.
    pub(in crate::commands::watch) fn edited(&mut self, call: &Key, written: Result<Option<Json>, String>) {
        let waiting = self.calls.iter().find(|waiting| key(&waiting.call) == *call);
        let Some(proposed) = waiting.map(|waiting| waiting.call.arguments.clone()) else { return };
        match written {
            Err(why) => self.say(Tone::Bad, visible(&why)),
            Ok(None) => self.say(Tone::Calm, "Nothing was changed."),
            Ok(Some(json)) if crate::edit::is_same(&proposed, &json) => {
                self.edits.remove(call);
                self.read_anew(call);
                self.say(Tone::Calm, "It is as it was proposed again.");
            }
            Ok(Some(json)) => {
                self.edits.insert(call.clone(), json);
                self.read_anew(call);
                self.say(Tone::Calm, "o allows it so, once. e changes more of it.");
            }
        }
    }

    /// Goes through the levels that a decision on the shown call may be made at, and back to saying none.
    pub(in crate::commands::watch) fn next_level(&mut self) {
        let Some(shown) = self.shown.clone() else { return };
        let request = self.current().and_then(|waiting| waiting.call.request.as_ref());
        let levels = request.map(|request| request.available_levels.clone()).unwrap_or_default();
        let at = self.levels.get(&shown).and_then(|level| levels.iter().position(|one| one == level));
        match levels.get(at.map_or(0, |at| at + 1)) {
            Some(level) => drop(self.levels.insert(shown, level.clone())),
            None => drop(self.levels.remove(&shown)),
        }
        self.say(Tone::Calm, if levels.is_empty() { "No level can be chosen for it." } else { "" });
    }

    /// Takes in a call that still waits and about which something is new. Whoever was about to decide on other arguments
    /// has to look again.
    pub(in crate::commands::watch) fn changed(
        &mut self,
        call: api::Call,
        aloud: bool,
        now: Timestamp,
    ) -> Vec<Wish> {
        let name = key(&call);
        let known =
            self.calls.iter_mut().find(|waiting| key(&waiting.call) == name && waiting.gone.is_none());
        let Some(known) = known.filter(|_| call.is_pending()) else { return Vec::new() };
        let other = known.call.arguments_hash != call.arguments_hash;
        known.call = call;
        let shown = self.shown.as_ref() == Some(&name);
        if shown {
            self.page.of = None;
        }
        if other {
            self.edits.remove(&name);
            self.read_anew(&name);
        }
        if other && shown {
            if matches!(self.mode, Mode::Widening(_)) {
                self.mode = Mode::Reading;
            }
            self.hold = Some(now.after(HOLD));
            self.say(Tone::Bad, "Somebody changed the arguments. Look again, then decide.");
        }
        if aloud { vec![Wish::Ring] } else { Vec::new() }
    }
}
