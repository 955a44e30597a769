//! What waits, which of it is shown, and what somebody is doing about it: a state without a terminal.
//! News and keys go in, wishes come out, and a view of it can be drawn at any moment.
//!
//! One rule stands above all others: **a key never decides another call than the one that was on the
//! screen when it was pressed.** So the shown call stays where it is, whatever arrives; one that somebody
//! else decides stays on the screen as decided until it is left; and after a decision of one's own the
//! next call takes no decision for a moment.

mod field;
mod keys;
mod message;
mod news;
mod wide;

pub(super) use field::Field;
pub(super) use message::{Key, News, NotDecided, Sent, Verdict, Wish, key};

use super::{
    document::{document, fit},
    page::Page,
};
use crate::output::visible;
use countersign_api as api;
use countersign_gate::{Json, Principal, Timestamp, event::Decision};
use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

/// For how long a call that took the place of a decided one takes no decision itself: a key that was
/// pressed twice was meant for the one before.
pub(super) const HOLD: Duration = Duration::from_millis(800);

/// What the keys mean at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    Reading,
    /// A comment is written, and denies when it is done: this call, or all of a width.
    Denying(Field, Option<Json>),
    /// A comment is written, and kept for the decision.
    Noting(Field),
    /// How wide that decision is to be remembered is asked.
    Widening(Decision),
    /// What to look for is written.
    Searching(Field),
    /// What was being answered has gone: whatever is still typed means nothing.
    Torn,
    Help,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Calm,
    Good,
    Bad,
}

pub(super) struct Waiting {
    pub(super) call: api::Call,
    /// How it was decided, once it was by somebody else.
    pub(super) gone: Option<String>,
}

pub(super) struct Inbox {
    pub(super) me: Principal,
    pub(super) calls: Vec<Waiting>,
    pub(super) shown: Option<Key>,
    pub(super) mode: Mode,
    pub(super) looking_for: String,
    pub(super) sending: Option<Sent>,
    pub(super) status: Option<(Tone, String)>,
    pub(super) lost: Option<String>,
    pub(super) loaded: bool,
    pub(super) page: Page,
    pub(super) help: Page,
    /// What goes with a decision, and what was written to deny with: one is not to go with the other.
    pub(super) drafts: HashMap<Key, String>,
    pub(super) denials: HashMap<Key, String>,
    /// What is to run instead of what was proposed, and the level that is chosen.
    pub(super) edits: HashMap<Key, Json>,
    pub(super) levels: HashMap<Key, String>,
    pub(super) allowed: usize,
    pub(super) denied: usize,
    pub(super) hold: Option<Timestamp>,
    /// What was on the screen up to its end.
    read: HashSet<Key>,
    /// What is known to be decided. It never waits again, whatever an older answer says.
    over: HashSet<Key>,
}

impl Inbox {
    pub(super) fn new(me: Principal) -> Self {
        Self {
            me,
            calls: Vec::new(),
            shown: None,
            mode: Mode::Reading,
            looking_for: String::new(),
            sending: None,
            status: None,
            lost: None,
            loaded: false,
            page: Page::default(),
            help: Page::default(),
            drafts: HashMap::new(),
            denials: HashMap::new(),
            edits: HashMap::new(),
            levels: HashMap::new(),
            allowed: 0,
            denied: 0,
            hold: None,
            read: HashSet::new(),
            over: HashSet::new(),
        }
    }

    /// The call on the screen.
    pub(super) fn current(&self) -> Option<&Waiting> {
        let shown = self.shown.as_ref()?;
        self.calls.iter().find(|waiting| key(&waiting.call) == *shown)
    }

    /// The calls that are gone through: all, or those that hold what is looked for.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Waiting> {
        self.calls.iter().filter(|waiting| self.matches(&waiting.call))
    }

    /// How many wait.
    pub(super) fn count(&self) -> usize {
        self.calls.iter().filter(|waiting| waiting.gone.is_none()).count()
    }

    fn matches(&self, call: &api::Call) -> bool {
        if self.looking_for.is_empty() {
            return true;
        }
        let wanted = self.looking_for.to_lowercase();
        let places = [
            call.name.as_str(),
            call.thread_id.as_str(),
            call.id.as_str(),
            call.proposal.principal.as_str(),
            call.description.as_deref().unwrap_or_default(),
            call.arguments.as_str(),
        ];
        places.iter().any(|place| place.to_lowercase().contains(&wanted))
    }

    pub(super) fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.status = Some((tone, text.into()));
    }

    /// Shows another call, from its beginning.
    pub(super) fn show(&mut self, call: Option<Key>) {
        if self.shown == call {
            return;
        }
        if let Some(left) = self.shown.take() {
            self.keep_calls(|waiting| waiting.gone.is_none() || key(&waiting.call) != left);
        }
        self.shown = call;
        self.page = Page::default();
    }

    /// Goes so many calls on, or back, and round at the ends.
    pub(super) fn step(&mut self, by: isize) {
        let keys: Vec<_> = self.listed().map(|waiting| key(&waiting.call)).collect();
        let at = keys.iter().position(|found| Some(found) == self.shown.as_ref());
        let Some(length) = isize::try_from(keys.len()).ok().filter(|length| *length > 0) else {
            // What is shown may be decided, and the last of all.
            let gone = self.current().is_none_or(|waiting| waiting.gone.is_some());
            if gone {
                self.show(None);
            }
            return;
        };
        let to = at.and_then(|at| isize::try_from(at).ok()).map_or(0, |at| (at + by).rem_euclid(length));
        let next = usize::try_from(to).ok().and_then(|to| keys.get(to).cloned());
        if next == self.shown && self.current().is_some_and(|waiting| waiting.gone.is_some()) {
            self.show(None);
            return;
        }
        self.show(next);
    }

    /// Sees to it that something that is looked for is shown, if there is anything.
    pub(super) fn settle(&mut self) {
        let fits =
            self.current().is_some_and(|waiting| self.matches(&waiting.call) || waiting.gone.is_some());
        if !fits {
            let first = self.listed().next().map(|waiting| key(&waiting.call));
            self.show(first);
        }
    }

    /// Takes a call away and shows its neighbour in its place.
    pub(super) fn drop_call(&mut self, gone: &Key, now: Timestamp) {
        self.over.insert(gone.clone());
        if self.shown.as_ref() == Some(gone) {
            self.step(1);
            if self.shown.as_ref() == Some(gone) {
                self.show(None);
            }
            self.hold = Some(now.after(HOLD));
        }
        self.keep_calls(|waiting| key(&waiting.call) != *gone);
        self.settle();
    }

    /// Keeps those calls, and of the others nothing that was noted about them: an inbox is open for weeks.
    pub(super) fn keep_calls(&mut self, stays: impl Fn(&Waiting) -> bool) {
        self.calls.retain(stays);
        let left: HashSet<_> = self.calls.iter().map(|waiting| key(&waiting.call)).collect();
        self.read.retain(|call| left.contains(call));
        self.drafts.retain(|call, _| left.contains(call));
        self.denials.retain(|call, _| left.contains(call));
        self.edits.retain(|call, _| left.contains(call));
        self.levels.retain(|call, _| left.contains(call));
    }

    pub(super) fn is_over(&self, call: &Key) -> bool {
        self.over.contains(call)
    }

    pub(super) fn mark_over(&mut self, call: &Key) {
        self.over.insert(call.clone());
    }

    /// Forgets what was decided, but for those: an answer that is new names none of the others again.
    pub(super) fn over_only(&mut self, named: &HashSet<Key>) {
        self.over.retain(|call| named.contains(call));
    }

    /// How many calls anything is noted about.
    #[cfg(test)]
    pub(super) fn notes(&self) -> usize {
        let written = self.drafts.len() + self.denials.len() + self.edits.len() + self.levels.len();
        self.over.len() + self.read.len() + written
    }

    /// Whether the shown call was on the screen up to its end.
    pub(super) fn was_read(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| self.read.contains(shown))
    }

    /// Has a call read anew, from its beginning: what it would run is not what it was.
    pub(super) fn read_anew(&mut self, call: &Key) {
        self.read.remove(call);
        if self.shown.as_ref() == Some(call) {
            self.page = Page::default();
        }
    }

    /// Whether keys that decide are passed over for a moment.
    pub(super) fn holds(&self, now: Timestamp) -> bool {
        self.hold.is_some_and(|end| now < end)
    }

    /// Lays the shown call out for a window of that size, and notes whether the end of its arguments is to be seen. With
    /// fewer lines than this nobody can be said to have read anything.
    pub(super) fn lay_out(&mut self, columns: usize, height: usize) {
        let Some(shown) = self.shown.clone() else { return };
        let wanted = Some((shown.clone(), columns));
        if self.page.of != wanted {
            let me = self.me.clone();
            let edited = self.edits.get(&shown);
            let rows = self.current().map(|waiting| fit(&document(&waiting.call, edited, &me), columns));
            self.page.rows = rows.unwrap_or_default();
            self.page.of = wanted;
        }
        self.page.turn(0, height);
        if height >= 2 && self.page.offset + height >= self.page.end_of_arguments() {
            self.read.insert(shown);
        }
    }

    /// The name of the shown call, as it may be printed.
    pub(super) fn name_of(sent: &Sent) -> String {
        visible(sent.key.1.as_str())
    }
}
