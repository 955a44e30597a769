//! Handles keys.

use crate::{
    inbox::{
        decide::NOT_CONFIRMED,
        field::TextField,
        message::InboxAction,
        state::{InboxMode, InboxState, StatusTone},
    },
    page::DocumentWindow,
};
use countersign_events::{Decision, Timestamp};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// The status after a key that is ignored because it was not released.
const KEY_IS_HELD: &str = "Ignored: the key is held down. Release it, read the call, then decide.";

impl InboxState {
    /// Handles a key, and returns the action that follows.
    pub(crate) fn handle_key(&mut self, pressed: KeyEvent, now: Timestamp) -> Option<InboxAction> {
        if pressed.modifiers.contains(KeyModifiers::CONTROL) {
            match pressed.code {
                KeyCode::Char('c') => return Some(InboxAction::Interrupt),
                KeyCode::Char('z') => return Some(InboxAction::Suspend),
                _ => {}
            }
        }
        let action = self.handle_mode_key(pressed, now);
        if matches!(action, Some(InboxAction::Decide(_))) {
            self.guard.start_after(pressed.code, now);
        }
        action
    }

    fn handle_mode_key(&mut self, pressed: KeyEvent, now: Timestamp) -> Option<InboxAction> {
        match std::mem::replace(&mut self.mode, InboxMode::Reading) {
            InboxMode::Reading => self.handle_reading_key(pressed, now),
            InboxMode::WritingDenial(field, chosen) => self.handle_denial_key(field, chosen, pressed, now),
            InboxMode::WritingComment(field) => self.handle_comment_key(field, pressed),
            InboxMode::Answering(typed) => self.handle_answer_key(typed, pressed, now),
            InboxMode::ChoosingScope(question) => self.answer_scope_question(question, pressed, now),
            InboxMode::Searching(field) => self.handle_search_key(field, pressed),
            InboxMode::Interrupted => {
                if !matches!(pressed.code, KeyCode::Esc | KeyCode::Enter) {
                    self.mode = InboxMode::Interrupted;
                }
                None
            }
            InboxMode::Help => {
                let leaves = matches!(pressed.code, KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | '?'));
                if !leaves {
                    self.mode = InboxMode::Help;
                    scroll_window(&mut self.help, pressed);
                }
                None
            }
        }
    }

    fn handle_reading_key(&mut self, pressed: KeyEvent, now: Timestamp) -> Option<InboxAction> {
        if self.guard.is_held(pressed.code, now) {
            self.guard.ignore(pressed.code, now);
            let is_sending = self.sending.is_some();
            self.set_status(StatusTone::Calm, if is_sending { NOT_CONFIRMED } else { KEY_IS_HELD });
            return None;
        }
        let plain = pressed.modifiers.difference(KeyModifiers::SHIFT).is_empty();
        match pressed.code {
            KeyCode::Char(key @ ('o' | 's' | 'D' | 'e')) if plain => {
                return self.handle_decision_key(key, pressed.kind, now);
            }
            // These keys send nothing, so the guard goes on.
            KeyCode::Char('d') if plain => self.start_text(true),
            KeyCode::Char('c') if plain => self.start_text(false),
            KeyCode::Char('a') if plain => self.next_level(),
            _ if scroll_window(&mut self.page, pressed) => self.show_was_seen(),
            KeyCode::Char('n' | 'l') | KeyCode::Right | KeyCode::Tab | KeyCode::Enter if plain => {
                self.show_was_seen();
                self.step(1);
            }
            KeyCode::Char('p' | 'h') | KeyCode::Left | KeyCode::BackTab if plain => {
                self.show_was_seen();
                self.step(-1);
            }
            code => return self.handle_other_key(code, plain),
        }
        None
    }

    /// A person who moves has seen the screen.
    fn show_was_seen(&mut self) {
        self.guard.lift();
        self.status = None;
    }

    /// Handles a key that can send a decision. A key that is ignored starts the guard again, because it may be held
    /// down.
    fn handle_decision_key(&mut self, key: char, kind: KeyEventKind, now: Timestamp) -> Option<InboxAction> {
        // The terminal reports releases, so a new press proves that the key was released.
        if kind == KeyEventKind::Repeat {
            self.set_status(StatusTone::Calm, KEY_IS_HELD);
            return None;
        }
        let action = match key {
            'o' => self.start_allowing(now),
            's' => self.start_scope_choice(Decision::AllowSession, now),
            'D' => self.start_scope_choice(Decision::Deny, now),
            _ => self.start_editing(now),
        };
        // A key that opens a question decides nothing yet, and is not ignored.
        if action.is_none() && self.mode == InboxMode::Reading {
            self.guard.ignore(KeyCode::Char(key), now);
        }
        action
    }

    /// Handles the keys that neither decide nor move.
    fn handle_other_key(&mut self, code: KeyCode, plain: bool) -> Option<InboxAction> {
        match code {
            KeyCode::Char('q') if plain => return Some(InboxAction::Quit),
            KeyCode::Char('r') if plain => {
                self.set_status(StatusTone::Calm, "Reloading the pending calls.");
                return Some(InboxAction::Reload);
            }
            KeyCode::Char('u') if plain => return self.take_back(),
            KeyCode::Char('S') if plain => {
                self.sort_by(self.order.next());
                self.set_status(StatusTone::Calm, format!("The list is sorted: {}.", self.order.describe()));
            }
            KeyCode::Char('?') if plain => self.mode = InboxMode::Help,
            KeyCode::Char('/') if plain => {
                self.mode = InboxMode::Searching(TextField::holding(&self.search_text));
            }
            KeyCode::Esc => {
                self.status = None;
                if !self.search_text.is_empty() {
                    self.search_text.clear();
                    self.show_any_call();
                }
            }
            _ => {}
        }
        None
    }
}

/// Scrolls, if the key is for scrolling.
fn scroll_window(page: &mut DocumentWindow, pressed: KeyEvent) -> bool {
    let control = pressed.modifiers.contains(KeyModifiers::CONTROL);
    // One line stays visible, so that the reader does not lose the place.
    let screen = isize::try_from(page.height.saturating_sub(1).max(1)).unwrap_or(1);
    let by = match pressed.code {
        KeyCode::Char('f') if control => screen,
        KeyCode::Char('b') if control => -screen,
        _ if control => return false,
        KeyCode::Char('j') | KeyCode::Down => 1,
        KeyCode::Char('k') | KeyCode::Up => -1,
        KeyCode::Char(' ') | KeyCode::PageDown => screen,
        KeyCode::Char('b') | KeyCode::PageUp => -screen,
        KeyCode::Char('g') | KeyCode::Home => isize::MIN,
        KeyCode::Char('G') | KeyCode::End => isize::MAX,
        _ => return false,
    };
    page.scroll(by, page.height);
    true
}
