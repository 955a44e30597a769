//! The state of the inbox, and the calls that it lists.

use crate::{
    document::{document_lines, fit_document},
    inbox::{
        field::TextField,
        message::{InboxCallKey, SentDecision, call_key},
    },
    page::DocumentWindow,
    present::text::escape_text,
};

use countersign_api as api;
use countersign_gate::{Json, Principal, Timestamp, event::Decision};
use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

/// How long a call that replaces a decided one takes no decision: a key pressed twice was meant for the first call.
pub(crate) const DECISION_DELAY: Duration = Duration::from_millis(800);

/// The meaning of the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InboxMode {
    Reading,
    /// The person types the reason of a denial, with a scope if the denial is remembered.
    WritingDenial(TextField, Option<Json>),
    /// The person types a comment for the decision.
    WritingComment(TextField),
    /// The person chooses the scope of the decision.
    ChoosingScope(Decision),
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
    /// Comments for a decision, and reasons for a denial. They are kept apart, so that a reason never goes with an
    /// allowance.
    pub(crate) drafts: HashMap<InboxCallKey, String>,
    pub(crate) denials: HashMap<InboxCallKey, String>,
    /// Edited arguments, and chosen levels.
    pub(crate) edits: HashMap<InboxCallKey, Json>,
    pub(crate) levels: HashMap<InboxCallKey, String>,
    /// The previews of the scopes that a person began to choose from.
    pub(crate) previews: HashMap<InboxCallKey, Vec<api::ScopePreview>>,
    pub(crate) allowed: usize,
    pub(crate) denied: usize,
    pub(crate) hold: Option<Timestamp>,
    /// The calls whose arguments were on the screen to their end.
    read: HashSet<InboxCallKey>,
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
            drafts: HashMap::new(),
            denials: HashMap::new(),
            edits: HashMap::new(),
            levels: HashMap::new(),
            previews: HashMap::new(),
            allowed: 0,
            denied: 0,
            hold: None,
            read: HashSet::new(),
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
            self.hold = Some(now.after(DECISION_DELAY));
        }
        self.keep_calls(|waiting| call_key(&waiting.call) != *gone);
        self.show_any_call();
    }

    /// Keeps these calls and drops all notes about the others, because an inbox is open for weeks.
    pub(crate) fn keep_calls(&mut self, stays: impl Fn(&ListedCall) -> bool) {
        self.calls.retain(stays);
        let left: HashSet<_> = self.calls.iter().map(|waiting| call_key(&waiting.call)).collect();
        self.read.retain(|call| left.contains(call));
        self.drafts.retain(|call, _| left.contains(call));
        self.denials.retain(|call, _| left.contains(call));
        self.edits.retain(|call, _| left.contains(call));
        self.levels.retain(|call, _| left.contains(call));
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

    /// The number of notes about calls.
    #[cfg(test)]
    pub(crate) fn notes(&self) -> usize {
        let written = self.drafts.len() + self.denials.len() + self.edits.len() + self.levels.len();
        self.over.len() + self.read.len() + written
    }

    /// True if the arguments of the shown call were on the screen to their end.
    pub(crate) fn is_read(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| self.read.contains(shown))
    }

    /// Requires the person to read the call again, because its arguments changed.
    pub(crate) fn require_reading(&mut self, call: &InboxCallKey) {
        self.read.remove(call);
        if self.shown.as_ref() == Some(call) {
            self.page = DocumentWindow::default();
        }
    }

    /// True if decision keys are ignored for a moment.
    pub(crate) fn holds(&self, now: Timestamp) -> bool {
        self.hold.is_some_and(|end| now < end)
    }

    /// Lays out the shown call. It counts as read if the end of its arguments is visible in at least two lines.
    pub(crate) fn lay_out_document(&mut self, columns: usize, height: usize) {
        let Some(shown) = self.shown.clone() else { return };
        let wanted = Some((shown.clone(), columns));
        if self.page.of != wanted {
            let me = self.me.clone();
            let edited = self.edits.get(&shown);
            let rows = self
                .current()
                .map(|waiting| fit_document(&document_lines(&waiting.call, edited, &me), columns));
            self.page.rows = rows.unwrap_or_default();
            self.page.of = wanted;
        }
        self.page.scroll(0, height);
        if height >= 2 && self.page.offset + height >= self.page.arguments_end() {
            self.read.insert(shown);
        }
    }

    /// The id of the call, escaped.
    pub(crate) fn call_name(sent: &SentDecision) -> String {
        escape_text(sent.key.1.as_str())
    }
}
