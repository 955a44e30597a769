//! Answering a call's questions, one after the other.

use crate::inbox::{
    message::InboxAction,
    state::{InboxMode, InboxState, StatusTone},
    typed_answers::TypedAnswers,
};
use countersign_console::{answer_question, read_answer};
use countersign_events::{Decision, Question, QuestionForm, QuestionKind, Timestamp};
use crossterm::event::{KeyCode, KeyEvent};

impl InboxState {
    /// The questions of the shown call.
    fn shown_questions(&self) -> Option<&QuestionForm> {
        let form = self.current()?.call.question.as_deref();
        form.filter(|form| form.kind == QuestionKind::Questions)
    }

    /// The question that the person answers now.
    pub(crate) fn open_question(&self, typed: &TypedAnswers) -> Option<&Question> {
        self.shown_questions()?.questions.get(typed.done.len())
    }

    /// Allows the shown call, or asks for the answers first if it asks questions and the person has not edited it.
    pub(crate) fn start_allowing(&mut self, now: Timestamp) -> Option<InboxAction> {
        if self.shown_questions().is_none() || self.edit_of_shown().is_some() {
            return self.allow(Decision::AllowOnce, None, now);
        }
        if self.may_allow(Decision::AllowOnce, now) {
            self.status = None;
            self.mode = InboxMode::Answering(TypedAnswers::default());
        }
        None
    }

    /// Handles a key while the person answers. After the last answer, the decision is sent.
    pub(crate) fn handle_answer_key(
        &mut self,
        mut typed: TypedAnswers,
        pressed: KeyEvent,
        now: Timestamp,
    ) -> Option<InboxAction> {
        match pressed.code {
            KeyCode::Esc => {
                self.set_status(StatusTone::Calm, "Nothing was decided.");
                return None;
            }
            KeyCode::Enter => {}
            _ => {
                typed.field.handle_key(pressed);
                self.mode = InboxMode::Answering(typed);
                return None;
            }
        }
        let question = self.open_question(&typed)?;
        let checked = question.check(&read_answer(question, &typed.field.text()));
        if let Err(why) = checked {
            self.set_status(StatusTone::Bad, why.to_string());
            self.mode = InboxMode::Answering(typed);
            return None;
        }
        self.status = None;
        typed.done.push(std::mem::take(&mut typed.field).text());
        if self.open_question(&typed).is_some() {
            self.mode = InboxMode::Answering(typed);
            return None;
        }
        match answer_question(&self.current()?.call, &typed.done) {
            Ok(arguments) => self.shown_notes()?.edited = Some(arguments),
            Err(why) => {
                self.set_status(StatusTone::Bad, why);
                return None;
            }
        }
        let sent = self.allow(Decision::AllowOnce, None, now);
        // Until the answer arrives, the call stays as it was asked.
        self.shown_notes()?.edited = None;
        sent
    }
}
