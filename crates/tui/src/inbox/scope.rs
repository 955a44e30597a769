//! Choosing the scope in which a decision is remembered.

use crate::inbox::{
    field::TextField,
    message::InboxAction,
    question::{ChosenScope, ScopeQuestion, ScopeStep},
    state::{InboxMode, InboxState, StatusTone},
};
use countersign_console::{
    MOST_NAMED, NO_PATTERN, ScopeKind, describe_offer, describe_patterns, describe_scopes,
    describe_waiting_call, escape_text, pattern_letter, waiting_calls, whole_tool_warning,
};
use countersign_events::{CallId, Decision, GrantLimits, Json, SuggestedScope, Timestamp};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

/// What a key means for a question.
enum ScopeAnswer {
    Cancel,
    /// The key has no meaning. The text says why, if it could have one.
    Nothing(Option<String>),
    Chosen(SuggestedScope),
    Confirmed(ChosenScope),
    /// No question is left.
    Complete(ChosenScope),
    AskPattern,
    /// Other limits are wanted.
    NextLimits,
}

impl InboxState {
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
        let call = &self.current()?.call;
        let scopes =
            ScopeKind::ALL.iter().flat_map(|kind| kind.offers(call)).map(|offer| offer.scope).collect();
        self.status = None;
        self.mode = InboxMode::ChoosingScope(ScopeQuestion::new(decision));
        let notes = self.shown_notes()?;
        notes.previews = None;
        let level = notes.level.clone();
        self.shown.clone().map(|shown| InboxAction::Preview(shown, scopes, level))
    }

    /// The question's lines.
    pub(crate) fn describe_scope_question(&self, question: &ScopeQuestion) -> (String, Vec<String>) {
        let Some(waiting) = self.current() else { return Default::default() };
        let call = &waiting.call;
        let previews = self.shown_previews().unwrap_or_default();
        let (tool, thread) = (escape_text(call.name.as_str()), escape_text(call.thread_id.as_str()));
        let what = if question.decision.allows() { "Allow" } else { "Deny" };
        let with_limits = |mut lines: Vec<String>| {
            if question.decision.allows() {
                lines.push(format!("h {}", question.limits.describe()));
            }
            lines
        };
        match &question.step {
            ScopeStep::Kind => (
                format!("{what} this call, and which later calls of {tool} in thread {thread}?"),
                with_limits(describe_scopes(call, previews, question.decision)),
            ),
            ScopeStep::Pattern => (
                format!("{what} this call, and later calls of {tool} in thread {thread} with which pattern?"),
                with_limits(describe_patterns(call, previews, question.decision)),
            ),
            ScopeStep::WholeTool(chosen) => (
                format!("Allow every later call of {tool} in thread {thread}?"),
                vec![whole_tool_warning(call).unwrap_or_default(), chosen.says.clone()],
            ),
            ScopeStep::Waiting(chosen) => self.describe_waiting_question(question.decision, chosen),
        }
    }

    /// The question about the calls that wait. Each of them is named, because the decision releases it at once.
    fn describe_waiting_question(&self, decision: Decision, chosen: &ChosenScope) -> (String, Vec<String>) {
        let what = if decision.allows() { "allow" } else { "deny" };
        let count = chosen.waiting.len();
        let (calls, them) = if count == 1 { ("call waits", "it") } else { ("calls wait", "them") };
        let thread = self.shown.as_ref().map(|(thread, _)| thread);
        let describe = |id: &CallId| {
            let known =
                self.calls.iter().find(|one| one.call.id == *id && Some(&one.call.thread_id) == thread);
            describe_waiting_call(id, known.map(|known| &known.call))
        };
        let mut lines: Vec<_> = chosen.waiting.iter().take(MOST_NAMED).map(describe).collect();
        if count > MOST_NAMED {
            lines.push(format!("and {} more", count - MOST_NAMED));
        }
        (format!("{count} more {calls} with this scope. Also {what} {them} now?"), lines)
    }

    /// Handles a key while a scope is chosen. An allowance is sent at once; a denial asks for a reason first.
    pub(crate) fn answer_scope_question(
        &mut self,
        question: ScopeQuestion,
        pressed: KeyEvent,
        now: Timestamp,
    ) -> Option<InboxAction> {
        let decision = question.decision;
        let answer = match pressed.kind {
            KeyEventKind::Repeat => ScopeAnswer::Nothing(None),
            _ => self.read_scope_answer(&question, pressed.code),
        };
        match answer {
            ScopeAnswer::Cancel => {
                self.set_status(StatusTone::Calm, "Nothing was decided.");
                None
            }
            ScopeAnswer::Nothing(why) => {
                self.status = why.map(|why| (StatusTone::Calm, why));
                self.mode = InboxMode::ChoosingScope(question);
                None
            }
            ScopeAnswer::AskPattern => {
                self.mode = InboxMode::ChoosingScope(question.with_step(ScopeStep::Pattern));
                None
            }
            ScopeAnswer::NextLimits => {
                let limits = question.limits.next();
                self.mode = InboxMode::ChoosingScope(ScopeQuestion { limits, ..question });
                None
            }
            ScopeAnswer::Chosen(offer) => {
                let chosen = self.choose_scope(offer, &question);
                let is_tool = chosen.scope == Json::string(ScopeKind::Tool.word());
                let warns = self.current().is_some_and(|waiting| whole_tool_warning(&waiting.call).is_some());
                if decision.allows() && is_tool && warns {
                    self.mode = InboxMode::ChoosingScope(question.with_step(ScopeStep::WholeTool(chosen)));
                    return None;
                }
                self.ask_about_waiting(question, chosen, now)
            }
            ScopeAnswer::Confirmed(chosen) => self.ask_about_waiting(question, chosen, now),
            ScopeAnswer::Complete(chosen) => self.use_scope(decision, chosen, now),
        }
    }

    /// The scope with its preview.
    fn choose_scope(&self, offer: SuggestedScope, question: &ScopeQuestion) -> ChosenScope {
        let decision = question.decision;
        let previews = self.shown_previews().unwrap_or_default();
        let says = describe_offer(&offer, previews, decision);
        let preview = previews.iter().find(|preview| preview.scope == offer.scope);
        let mut waiting =
            preview.map(|preview| waiting_calls(preview, decision).to_vec()).unwrap_or_default();
        let limits = if decision.allows() { question.limits.limits() } else { GrantLimits::default() };
        waiting.truncate(limits.uses.map_or(usize::MAX, |uses| uses as usize));
        ChosenScope { scope: offer.scope, says, waiting, and_waiting: false, limits }
    }

    /// Asks whether the decision also decides the calls that wait, if there are any.
    fn ask_about_waiting(
        &mut self,
        question: ScopeQuestion,
        chosen: ChosenScope,
        now: Timestamp,
    ) -> Option<InboxAction> {
        if chosen.waiting.is_empty() {
            return self.use_scope(question.decision, chosen, now);
        }
        self.mode = InboxMode::ChoosingScope(question.with_step(ScopeStep::Waiting(chosen)));
        None
    }

    fn read_scope_answer(&self, question: &ScopeQuestion, code: KeyCode) -> ScopeAnswer {
        let KeyCode::Char(key) = code else {
            let leaves = code == KeyCode::Esc;
            return if leaves { ScopeAnswer::Cancel } else { ScopeAnswer::Nothing(None) };
        };
        // A person who denies may start to type the reason too early. An "n" must not cancel the denial then.
        if matches!(key, 'n' | 'N') && question.decision.allows() {
            return ScopeAnswer::Cancel;
        }
        let takes_limits = matches!(question.step, ScopeStep::Kind | ScopeStep::Pattern);
        if key == 'h' && takes_limits && question.decision.allows() {
            return ScopeAnswer::NextLimits;
        }
        let Some(waiting) = self.current() else { return ScopeAnswer::Cancel };
        let offers = match &question.step {
            ScopeStep::WholeTool(chosen) if key == 'y' => return ScopeAnswer::Confirmed(chosen.clone()),
            ScopeStep::Waiting(chosen) if matches!(key, 'w' | 'l') => {
                return ScopeAnswer::Complete(ChosenScope { and_waiting: key == 'w', ..chosen.clone() });
            }
            ScopeStep::WholeTool(_) | ScopeStep::Waiting(_) => return ScopeAnswer::Nothing(None),
            ScopeStep::Pattern => {
                let offers = ScopeKind::Pattern.offers(&waiting.call);
                offers.into_iter().filter(|offer| pattern_letter(&offer.scope) == key).collect()
            }
            ScopeStep::Kind => match ScopeKind::from_letter(key) {
                Some(_) if self.shown_previews().is_none() => {
                    return ScopeAnswer::Nothing(Some("The earlier calls are being counted.".to_owned()));
                }
                Some(kind) => kind.offers(&waiting.call),
                None => return ScopeAnswer::Nothing(None),
            },
        };
        let mut offers = offers.into_iter();
        match (offers.next(), offers.next(), &question.step) {
            (Some(only), None, _) => ScopeAnswer::Chosen(only),
            (Some(_), Some(_), ScopeStep::Kind) => ScopeAnswer::AskPattern,
            (None, _, ScopeStep::Kind) => ScopeAnswer::Nothing(Some(format!("p: {NO_PATTERN}."))),
            _ => ScopeAnswer::Nothing(None),
        }
    }

    fn use_scope(&mut self, decision: Decision, chosen: ChosenScope, now: Timestamp) -> Option<InboxAction> {
        if decision.allows() {
            return self.allow(decision, Some(chosen), now);
        }
        let begun = self.shown_notes().map(|notes| notes.denial.clone()).unwrap_or_default();
        self.mode = InboxMode::WritingDenial(TextField::holding(&begun), Some(chosen));
        None
    }
}
