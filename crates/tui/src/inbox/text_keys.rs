//! Keys and pasted text while the person types: a denial reason, a comment, a search string.

use crate::inbox::{
    field::TextField,
    message::{InboxAction, call_key},
    question::ChosenScope,
    state::{InboxMode, InboxState, StatusTone},
    typed_answers::TypedAnswers,
};
use countersign_events::{Decision, Timestamp};
use crossterm::event::{KeyCode, KeyEvent};

impl InboxState {
    /// Returns true if every key is text. A terminal must then report text as usual, not as key events.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(
            self.mode,
            InboxMode::WritingDenial(..)
                | InboxMode::WritingComment(_)
                | InboxMode::Answering(_)
                | InboxMode::Searching(_)
        )
    }

    /// Handles pasted text. It goes into a text field and is never taken as keys.
    pub(crate) fn paste(&mut self, text: &str) {
        match &mut self.mode {
            InboxMode::WritingDenial(field, _)
            | InboxMode::WritingComment(field)
            | InboxMode::Searching(field)
            | InboxMode::Answering(TypedAnswers { field, .. }) => field.insert(text),
            _ => self.set_status(StatusTone::Calm, "Pasted text is ignored here."),
        }
    }

    /// Opens a text field even if a decision is not possible now, because the person continues typing and the text
    /// must not be taken as keys. The reason is shown when they press Enter.
    pub(crate) fn start_text(&mut self, denial: bool) {
        let Some(waiting) = self.current() else {
            self.set_status(StatusTone::Calm, self.describe_empty_list());
            return;
        };
        let is_gone = waiting.gone.is_some();
        let notes = self.notes.get(&call_key(&waiting.call));
        let (comment, reason) = notes.map_or(("", ""), |notes| (&notes.comment, &notes.denial));
        let begun = if denial && !reason.is_empty() { reason } else { comment };
        let field = TextField::holding(begun);
        self.mode = match (is_gone, denial) {
            (true, _) => InboxMode::Interrupted,
            (false, true) => InboxMode::WritingDenial(field, None),
            (false, false) => InboxMode::WritingComment(field),
        };
        self.status = None;
    }

    /// Keeps typed text for the decision, or to continue it later.
    fn keep_text(&mut self, denial: bool, text: &str) {
        let Some(notes) = self.shown_notes() else { return };
        let kept = if denial { &mut notes.denial } else { &mut notes.comment };
        kept.clear();
        if !text.trim().is_empty() {
            kept.push_str(text);
        }
    }

    pub(crate) fn handle_denial_key(
        &mut self,
        mut field: TextField,
        chosen: Option<ChosenScope>,
        pressed: KeyEvent,
        now: Timestamp,
    ) -> Option<InboxAction> {
        match pressed.code {
            KeyCode::Enter => {
                self.keep_text(true, &field.text());
                return if self.may_decide(now) {
                    self.send(Decision::Deny, &field.text(), chosen)
                } else {
                    None
                };
            }
            KeyCode::Esc => self.keep_text(true, &field.text()),
            _ => {
                field.handle_key(pressed);
                self.mode = InboxMode::WritingDenial(field, chosen);
            }
        }
        None
    }

    pub(crate) fn handle_comment_key(
        &mut self,
        mut field: TextField,
        pressed: KeyEvent,
    ) -> Option<InboxAction> {
        match pressed.code {
            KeyCode::Enter => self.keep_text(false, &field.text()),
            KeyCode::Esc => {}
            _ => {
                field.handle_key(pressed);
                self.mode = InboxMode::WritingComment(field);
            }
        }
        None
    }

    pub(crate) fn handle_search_key(
        &mut self,
        mut field: TextField,
        pressed: KeyEvent,
    ) -> Option<InboxAction> {
        match pressed.code {
            KeyCode::Enter => {}
            KeyCode::Esc => field = TextField::default(),
            _ => {
                field.handle_key(pressed);
                self.mode = InboxMode::Searching(field.clone());
            }
        }
        self.search_text = field.text();
        self.show_any_call();
        None
    }
}
