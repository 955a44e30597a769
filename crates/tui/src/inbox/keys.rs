//! Handles keys.

use crate::{
    inbox::{
        field::TextField,
        message::{InboxAction, SentDecision, call_key},
        state::{InboxMode, InboxState, StatusTone},
    },
    page::DocumentWindow,
    present::text::escape_text,
};
use countersign_gate::{Json, Timestamp, event::Decision};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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
        match std::mem::replace(&mut self.mode, InboxMode::Reading) {
            InboxMode::Reading => self.handle_reading_key(pressed, now),
            InboxMode::WritingDenial(field, scope) => self.handle_denial_key(field, scope, pressed, now),
            InboxMode::WritingComment(field) => self.handle_comment_key(field, pressed),
            InboxMode::ChoosingScope(decision) => self.choose_scope(decision, pressed, now),
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

    /// Handles pasted text. It goes into a text field and is never taken as keys.
    pub(crate) fn paste(&mut self, text: &str) {
        match &mut self.mode {
            InboxMode::WritingDenial(field, _)
            | InboxMode::WritingComment(field)
            | InboxMode::Searching(field) => field.insert(text),
            _ => self.set_status(StatusTone::Calm, "Pasted text is ignored here."),
        }
    }

    fn handle_reading_key(&mut self, pressed: KeyEvent, now: Timestamp) -> Option<InboxAction> {
        // A person who moves has seen the screen.
        let plain = pressed.modifiers.difference(KeyModifiers::SHIFT).is_empty();
        let decides = plain && matches!(pressed.code, KeyCode::Char('d' | 'o' | 's' | 'c' | 'D' | 'e' | 'a'));
        if !decides {
            self.hold = None;
            self.status = None;
        }
        if scroll_window(&mut self.page, pressed) {
            return None;
        }
        match pressed.code {
            KeyCode::Char('d') if decides => self.start_text(true),
            KeyCode::Char('o') if decides => return self.allow(Decision::AllowOnce, None, now),
            KeyCode::Char('s') if decides => return self.start_scope_choice(Decision::AllowSession, now),
            KeyCode::Char('D') if decides => return self.start_scope_choice(Decision::Deny, now),
            KeyCode::Char('e') if decides => return self.start_editing(now),
            KeyCode::Char('a') if decides => self.next_level(),
            KeyCode::Char('c') if decides => self.start_text(false),
            KeyCode::Char('q') if plain => return Some(InboxAction::Quit),
            KeyCode::Char('r') if plain => {
                self.set_status(StatusTone::Calm, "Reloading the pending calls.");
                return Some(InboxAction::Reload);
            }
            KeyCode::Char('u') if plain => self.set_status(
                StatusTone::Calm,
                "A decision is final. To end a session grant: countersign grant revoke",
            ),
            KeyCode::Char('?') if plain => self.mode = InboxMode::Help,
            KeyCode::Char('/') if plain => {
                self.mode = InboxMode::Searching(TextField::holding(&self.search_text));
            }
            KeyCode::Char('n' | 'l') | KeyCode::Right | KeyCode::Tab | KeyCode::Enter if plain => {
                self.step(1);
            }
            KeyCode::Char('p' | 'h') | KeyCode::Left | KeyCode::BackTab if plain => self.step(-1),
            KeyCode::Esc if !self.search_text.is_empty() => {
                self.search_text.clear();
                self.show_any_call();
            }
            _ => {}
        }
        None
    }

    /// The reason why no call is shown.
    fn describe_empty_list(&self) -> String {
        if self.count() > 0 {
            format!("No pending call contains “{}”. Esc shows all.", escape_text(&self.search_text))
        } else {
            "No call is pending.".to_owned()
        }
    }

    /// True if the shown call can be decided now. If not, the status says why.
    pub(crate) fn may_decide(&mut self, now: Timestamp) -> bool {
        let (tone, why) = match self.current() {
            None => (StatusTone::Calm, self.describe_empty_list()),
            Some(waiting) => match &waiting.gone {
                Some(how) => (StatusTone::Bad, format!("This call is {how}. n shows the next one.")),
                None if self.sending.is_some() => {
                    (StatusTone::Calm, "Your last decision is not confirmed yet.".to_owned())
                }
                None if self.lost.is_some() => (
                    StatusTone::Bad,
                    "Nothing was sent, because the log is unreachable. Wait for the connection.".to_owned(),
                ),
                None if self.holds(now) => (
                    StatusTone::Calm,
                    "The call on the screen has just changed. Read it, then decide.".to_owned(),
                ),
                None => return true,
            },
        };
        self.set_status(tone, why);
        false
    }

    /// True if the shown call can be allowed: it must have been on the screen to its end.
    pub(crate) fn may_allow(&mut self, decision: Decision, now: Timestamp) -> bool {
        if !self.may_decide(now) {
            return false;
        }
        let offered = self
            .current()
            .and_then(|waiting| waiting.call.request.as_ref())
            .is_some_and(|request| request.options.contains(&decision));
        if !offered {
            self.set_status(StatusTone::Bad, "This decision is not offered for this call.");
            return false;
        }
        if !self.is_read() {
            let end = self.page.arguments_end();
            let below = end.saturating_sub(self.page.offset + self.page.height);
            let lines = if below == 1 { "line" } else { "lines" };
            self.set_status(
                StatusTone::Bad,
                format!("Read to the end first: {below} more {lines}. Space scrolls, G goes to the end."),
            );
            return false;
        }
        true
    }

    pub(crate) fn allow(
        &mut self,
        decision: Decision,
        scope: Option<Json>,
        now: Timestamp,
    ) -> Option<InboxAction> {
        if !self.may_allow(decision, now) {
            return None;
        }
        let comment = self.shown.as_ref().and_then(|shown| self.drafts.get(shown).cloned());
        self.send(decision, comment, scope)
    }

    fn send(
        &mut self,
        decision: Decision,
        comment: Option<String>,
        scope: Option<Json>,
    ) -> Option<InboxAction> {
        let call = &self.current()?.call;
        let (key, about) = (call_key(call), call.arguments_hash);
        let comment = comment.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let arguments = self.edits.get(&key).filter(|_| decision.allows()).cloned();
        let level = self.levels.get(&key).cloned();
        let sent = SentDecision { key, decision, comment, about, arguments, scope, level };
        self.status = None;
        self.sending = Some(sent.clone());
        Some(InboxAction::Decide(sent))
    }

    /// Keeps a text for the decision, or to continue it later.
    fn keep(&mut self, denial: bool, text: &str) {
        let Some(shown) = self.shown.clone() else { return };
        let kept = if denial { &mut self.denials } else { &mut self.drafts };
        if text.trim().is_empty() {
            kept.remove(&shown);
        } else {
            kept.insert(shown, text.to_owned());
        }
    }

    /// Opens a text field even if a decision is not possible now, because the person continues typing and the text
    /// must not be taken as keys. The reason is shown when they press Enter.
    fn start_text(&mut self, denial: bool) {
        let Some(waiting) = self.current() else {
            self.set_status(StatusTone::Calm, self.describe_empty_list());
            return;
        };
        let key = call_key(&waiting.call);
        self.mode = if waiting.gone.is_some() {
            InboxMode::Interrupted
        } else {
            let note = self.drafts.get(&key);
            let begun = if denial { self.denials.get(&key).or(note) } else { note };
            let field = begun.map_or_else(TextField::default, |text| TextField::holding(text));
            if denial { InboxMode::WritingDenial(field, None) } else { InboxMode::WritingComment(field) }
        };
        self.status = None;
    }

    fn handle_denial_key(
        &mut self,
        mut field: TextField,
        scope: Option<Json>,
        pressed: KeyEvent,
        now: Timestamp,
    ) -> Option<InboxAction> {
        match pressed.code {
            KeyCode::Enter => {
                self.keep(true, &field.text());
                return if self.may_decide(now) {
                    self.send(Decision::Deny, Some(field.text()), scope)
                } else {
                    None
                };
            }
            KeyCode::Esc => self.keep(true, &field.text()),
            _ => {
                field.handle_key(pressed);
                self.mode = InboxMode::WritingDenial(field, scope);
            }
        }
        None
    }

    fn handle_comment_key(&mut self, mut field: TextField, pressed: KeyEvent) -> Option<InboxAction> {
        match pressed.code {
            KeyCode::Enter => self.keep(false, &field.text()),
            KeyCode::Esc => {}
            _ => {
                field.handle_key(pressed);
                self.mode = InboxMode::WritingComment(field);
            }
        }
        None
    }

    fn handle_search_key(&mut self, mut field: TextField, pressed: KeyEvent) -> Option<InboxAction> {
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
