//! The inbox state, and the calls that it lists.

use crate::{
    CallOrder,
    document::{document_lines, fit_document},
    inbox::{
        field::TextField,
        guard::KeyGuard,
        message::{InboxCallKey, SentDecision, call_key},
        notes::CallNotes,
        question::{ChosenScope, ScopeQuestion},
        recent::RecentDecisions,
        typed_answers::TypedAnswers,
    },
    page::DocumentWindow,
};
use countersign_console::escape_text;

use countersign_api as api;
use countersign_events::{Principal, Timestamp};
use std::collections::{HashMap, HashSet};

/// What keys mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InboxMode {
    Reading,
    /// The person types a denial's reason, with a scope if the denial is remembered.
    WritingDenial(TextField, Option<ChosenScope>),
    /// The person types a comment for the decision.
    WritingComment(TextField),
    /// The person answers the call's questions.
    Answering(TypedAnswers),
    /// The person chooses the decision's scope.
    ChoosingScope(ScopeQuestion),
    /// The person types a search text.
    Searching(TextField),
    /// The call was decided while the person typed. Keys other than Enter and Esc have no effect.
    Interrupted,
    Help,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusTone {
    Calm,
    Good,
    Bad,
}

pub(crate) struct ListedCall {
    pub(crate) call: api::Call,
    /// The decision of another person, in words.
    pub(crate) gone: Option<String>,
}

pub(crate) struct InboxState {
    pub(crate) me: Principal,
    pub(crate) calls: Vec<ListedCall>,
    pub(crate) shown: Option<InboxCallKey>,
    pub(crate) mode: InboxMode,
    pub(crate) search_text: String,
    pub(crate) sending: Option<SentDecision>,
    pub(crate) status: Option<(StatusTone, String)>,
    pub(crate) lost: Option<String>,
    pub(crate) loaded: bool,
    pub(crate) page: DocumentWindow,
    pub(crate) help: DocumentWindow,
    /// The person's notes about pending calls.
    pub(crate) notes: HashMap<InboxCallKey, CallNotes>,
    pub(crate) order: CallOrder,
    pub(crate) recent: RecentDecisions,
    /// The last call that was allowed here, until its approval is taken back or the call has ended.
    pub(crate) last_allowed: Option<InboxCallKey>,
    pub(crate) allowed: usize,
    pub(crate) denied: usize,
    pub(crate) guard: KeyGuard,
    /// The call whose agent's presence was read last, and the time of that.
    pub(crate) presence_read: Option<(InboxCallKey, Timestamp)>,
    /// Decided calls. An older answer cannot list them as pending again.
    over: HashSet<InboxCallKey>,
}

impl InboxState {
    pub(crate) fn new(me: Principal) -> Self {
        Self {
            me,
            calls: Vec::new(),
            shown: None,
            mode: InboxMode::Reading,
            search_text: String::new(),
            sending: None,
            status: None,
            lost: None,
            loaded: false,
            page: DocumentWindow::default(),
            help: DocumentWindow::default(),
            notes: HashMap::new(),
            order: CallOrder::default(),
            recent: RecentDecisions::default(),
            last_allowed: None,
            allowed: 0,
            denied: 0,
            guard: KeyGuard::default(),
            presence_read: None,
            over: HashSet::new(),
        }
    }

    /// The call on the screen.
    pub(crate) fn current(&self) -> Option<&ListedCall> {
        let shown = self.shown.as_ref()?;
        self.calls.iter().find(|waiting| call_key(&waiting.call) == *shown)
    }

    /// The calls in the list: all, or those that contain the search text.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &ListedCall> {
        self.calls.iter().filter(|waiting| self.matches(&waiting.call))
    }

    /// The number of pending calls.
    pub(crate) fn count(&self) -> usize {
        self.calls.iter().filter(|waiting| waiting.gone.is_none()).count()
    }

    fn matches(&self, call: &api::Call) -> bool {
        if self.search_text.is_empty() {
            return true;
        }
        let wanted = self.search_text.to_lowercase();
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

    pub(crate) fn set_status(&mut self, tone: StatusTone, text: impl Into<String>) {
        self.status = Some((tone, text.into()));
    }

    /// Shows another call from its beginning.
    pub(crate) fn show(&mut self, call: Option<InboxCallKey>) {
        if self.shown == call {
            return;
        }
        if let Some(left) = self.shown.take() {
            self.keep_calls(|waiting| waiting.gone.is_none() || call_key(&waiting.call) != left);
        }
        self.shown = call;
        self.page = DocumentWindow::default();
    }

    /// Sorts the list in another order. The shown call stays on the screen.
    pub(crate) fn sort_by(&mut self, order: CallOrder) {
        self.order = order;
        self.calls.sort_by_cached_key(|waiting| order.sort_key(&waiting.call));
    }

    /// Moves through the list, and wraps at its ends.
    pub(crate) fn step(&mut self, by: isize) {
        let keys: Vec<_> = self.listed().map(|waiting| call_key(&waiting.call)).collect();
        let at = keys.iter().position(|found| Some(found) == self.shown.as_ref());
        let Some(length) = isize::try_from(keys.len()).ok().filter(|length| *length > 0) else {
            // The shown call may be a decided one, and the last.
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

    /// Shows the first call of the list, unless the shown call belongs to it.
    pub(crate) fn show_any_call(&mut self) {
        let fits =
            self.current().is_some_and(|waiting| self.matches(&waiting.call) || waiting.gone.is_some());
        if !fits {
            let first = self.listed().next().map(|waiting| call_key(&waiting.call));
            self.show(first);
        }
    }

    /// Removes a call and shows its neighbour.
    pub(crate) fn drop_call(&mut self, gone: &InboxCallKey, now: Timestamp) {
        self.over.insert(gone.clone());
        if self.shown.as_ref() == Some(gone) {
            self.step(1);
            if self.shown.as_ref() == Some(gone) {
                self.show(None);
            }
            self.guard.start(now);
        }
        self.keep_calls(|waiting| call_key(&waiting.call) != *gone);
        self.show_any_call();
    }

    /// Keeps these calls and drops all notes about the others, because an inbox is open for weeks.
    pub(crate) fn keep_calls(&mut self, stays: impl Fn(&ListedCall) -> bool) {
        self.calls.retain(stays);
        let left: HashSet<_> = self.calls.iter().map(|waiting| call_key(&waiting.call)).collect();
        self.notes.retain(|call, _| left.contains(call));
    }

    pub(crate) fn is_over(&self, call: &InboxCallKey) -> bool {
        self.over.contains(call)
    }

    pub(crate) fn mark_over(&mut self, call: &InboxCallKey) {
        self.over.insert(call.clone());
    }

    /// Forgets decided calls, except those that the latest list still names.
    pub(crate) fn forget_decided_except(&mut self, named: &HashSet<InboxCallKey>) {
        self.over.retain(|call| named.contains(call));
    }

    /// The number of calls that the inbox remembers something about.
    #[cfg(test)]
    pub(crate) fn remembered(&self) -> usize {
        self.over.len() + self.notes.len()
    }

    /// The notes about a call.
    pub(crate) fn notes_of(&mut self, call: &InboxCallKey) -> &mut CallNotes {
        self.notes.entry(call.clone()).or_default()
    }

    /// The notes about the shown call.
    pub(crate) fn shown_notes(&mut self) -> Option<&mut CallNotes> {
        let shown = self.shown.clone()?;
        Some(self.notes_of(&shown))
    }

    /// Previews of the shown call's scopes, once they have arrived.
    pub(crate) fn shown_previews(&self) -> Option<&[api::ScopePreview]> {
        self.notes.get(self.shown.as_ref()?)?.previews.as_deref()
    }

    /// Returns true if the shown call's arguments were on the screen to their end.
    pub(crate) fn is_read(&self) -> bool {
        self.shown.as_ref().and_then(|shown| self.notes.get(shown)).is_some_and(|notes| notes.is_read)
    }

    /// Requires the person to read the call again, because its arguments changed.
    pub(crate) fn require_reading(&mut self, call: &InboxCallKey) {
        self.notes_of(call).is_read = false;
        if self.shown.as_ref() == Some(call) {
            self.page = DocumentWindow::default();
        }
    }

    /// Lays out the shown call. It is treated as read if the end of its arguments is visible in at least two lines.
    pub(crate) fn lay_out_document(&mut self, columns: usize, height: usize) {
        let Some(shown) = self.shown.clone() else { return };
        let wanted = Some((shown.clone(), columns));
        if self.page.of != wanted {
            let me = self.me.clone();
            let edited = self.notes.get(&shown).and_then(|notes| notes.edited.as_ref());
            let rows = self
                .current()
                .map(|waiting| fit_document(&document_lines(&waiting.call, edited, &me), columns));
            self.page.rows = rows.unwrap_or_default();
            self.page.of = wanted;
        }
        self.page.scroll(0, height);
        if height >= 2 && self.page.offset + height >= self.page.arguments_end() {
            self.notes_of(&shown).is_read = true;
        }
    }

    /// The call's id, escaped.
    pub(crate) fn call_name(sent: &SentDecision) -> String {
        escape_text(sent.key.1.as_str())
    }
}
