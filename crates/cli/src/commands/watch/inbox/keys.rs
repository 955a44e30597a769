//! What keys do to the inbox.

use super::{Field, Inbox, Mode, Sent, Tone, Wish, key};
use crate::{commands::watch::page::Page, output::visible};
use countersign_gate::{Json, Timestamp, event::Decision};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

impl Inbox {
    /// Takes a key in, and says what is to be done about it.
    pub(in crate::commands::watch) fn press(&mut self, pressed: KeyEvent, now: Timestamp) -> Option<Wish> {
        if pressed.modifiers.contains(KeyModifiers::CONTROL) {
            match pressed.code {
                KeyCode::Char('c') => return Some(Wish::Interrupt),
                KeyCode::Char('z') => return Some(Wish::Suspend),
                _ => {}
            }
        }
        match std::mem::replace(&mut self.mode, Mode::Reading) {
            Mode::Reading => self.read_on(pressed, now),
            Mode::Denying(field, width) => self.write_denial(field, width, pressed, now),
            Mode::Noting(field) => self.write_note(field, pressed),
            Mode::Widening(decision) => self.widen(decision, pressed, now),
            Mode::Searching(field) => self.search(field, pressed),
            Mode::Torn => {
                if !matches!(pressed.code, KeyCode::Esc | KeyCode::Enter) {
                    self.mode = Mode::Torn;
                }
                None
            }
            Mode::Help => {
                let leaves = matches!(pressed.code, KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | '?'));
                if !leaves {
                    self.mode = Mode::Help;
                    scroll(&mut self.help, pressed);
                }
                None
            }
        }
    }

    /// Takes in what was pasted: text for whoever writes, and never keys.
    pub(in crate::commands::watch) fn paste(&mut self, text: &str) {
        match &mut self.mode {
            Mode::Denying(field, _) | Mode::Noting(field) | Mode::Searching(field) => field.take(text),
            _ => self.say(Tone::Calm, "What was pasted is not taken for keys."),
        }
    }

    fn read_on(&mut self, pressed: KeyEvent, now: Timestamp) -> Option<Wish> {
        // Whoever moves has seen where things are.
        let plain = pressed.modifiers.difference(KeyModifiers::SHIFT).is_empty();
        let decides = plain && matches!(pressed.code, KeyCode::Char('d' | 'o' | 's' | 'c' | 'D' | 'e' | 'a'));
        if !decides {
            self.hold = None;
            self.status = None;
        }
        if scroll(&mut self.page, pressed) {
            return None;
        }
        match pressed.code {
            KeyCode::Char('d') if decides => self.start_writing(true),
            KeyCode::Char('o') if decides => return self.allow(Decision::AllowOnce, None, now),
            KeyCode::Char('s') if decides => self.start_widening(Decision::AllowSession, now),
            KeyCode::Char('D') if decides => self.start_widening(Decision::Deny, now),
            KeyCode::Char('e') if decides => return self.start_editing(now),
            KeyCode::Char('a') if decides => self.next_level(),
            KeyCode::Char('c') if decides => self.start_writing(false),
            KeyCode::Char('q') if plain => return Some(Wish::Quit),
            KeyCode::Char('r') if plain => {
                self.say(Tone::Calm, "Loading what waits.");
                return Some(Wish::Reload);
            }
            KeyCode::Char('u') if plain => self.say(
                Tone::Calm,
                "A decision is final. What was allowed for the session ends with: countersign revoke",
            ),
            KeyCode::Char('?') if plain => self.mode = Mode::Help,
            KeyCode::Char('/') if plain => self.mode = Mode::Searching(Field::holding(&self.looking_for)),
            KeyCode::Char('n' | 'l') | KeyCode::Right | KeyCode::Tab | KeyCode::Enter if plain => {
                self.step(1);
            }
            KeyCode::Char('p' | 'h') | KeyCode::Left | KeyCode::BackTab if plain => self.step(-1),
            KeyCode::Esc if !self.looking_for.is_empty() => {
                self.looking_for.clear();
                self.settle();
            }
            _ => {}
        }
        None
    }

    /// Why no call is on the screen.
    fn nothing_here(&self) -> String {
        if self.count() > 0 {
            format!("Nothing that waits has “{}” in it. Esc shows all.", visible(&self.looking_for))
        } else {
            "Nothing waits for a decision.".to_owned()
        }
    }

    /// Whether anything can be decided now; if not, says why.
    pub(in crate::commands::watch) fn may_decide(&mut self, now: Timestamp) -> bool {
        let (tone, why) = match self.current() {
            None => (Tone::Calm, self.nothing_here()),
            Some(waiting) => match &waiting.gone {
                Some(how) => (Tone::Bad, format!("It is {how}. n goes to the next.")),
                None if self.sending.is_some() => {
                    (Tone::Calm, "The last decision is still on its way.".to_owned())
                }
                None if self.lost.is_some() => {
                    (Tone::Bad, "Nothing was sent: wait until the log can be reached again.".to_owned())
                }
                None if self.holds(now) => {
                    (Tone::Calm, "This is another call than a moment ago. Look, then decide.".to_owned())
                }
                None => return true,
            },
        };
        self.say(tone, why);
        false
    }

    /// Nobody allows what was not on the screen to its end.
    pub(in crate::commands::watch) fn may_allow(&mut self, decision: Decision, now: Timestamp) -> bool {
        if !self.may_decide(now) {
            return false;
        }
        let offered = self
            .current()
            .and_then(|waiting| waiting.call.request.as_ref())
            .is_some_and(|request| request.options.contains(&decision));
        if !offered {
            self.say(Tone::Bad, "That is not offered for this call.");
            return false;
        }
        if !self.was_read() {
            let end = self.page.end_of_arguments();
            let below = end.saturating_sub(self.page.offset + self.page.height);
            let lines = if below == 1 { "line" } else { "lines" };
            self.say(
                Tone::Bad,
                format!("Read to the end first: {below} {lines} below. Space, or G for the end."),
            );
            return false;
        }
        true
    }

    pub(in crate::commands::watch) fn allow(
        &mut self,
        decision: Decision,
        matches: Option<Json>,
        now: Timestamp,
    ) -> Option<Wish> {
        if !self.may_allow(decision, now) {
            return None;
        }
        let comment = self.shown.as_ref().and_then(|shown| self.drafts.get(shown).cloned());
        self.send(decision, comment, matches)
    }

    fn send(&mut self, decision: Decision, comment: Option<String>, matches: Option<Json>) -> Option<Wish> {
        let call = &self.current()?.call;
        let (key, about) = (key(call), call.arguments_hash);
        let comment = comment.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let arguments = self.edits.get(&key).filter(|_| decision.allows()).cloned();
        let level = self.levels.get(&key).cloned();
        let sent = Sent { key, decision, comment, about, arguments, matches, level };
        self.status = None;
        self.sending = Some(sent.clone());
        Some(Wish::Decide(sent))
    }

    /// Keeps what was written, for the decision or to go on with.
    fn keep(&mut self, denial: bool, text: &str) {
        let Some(shown) = self.shown.clone() else { return };
        let kept = if denial { &mut self.denials } else { &mut self.drafts };
        if text.trim().is_empty() {
            kept.remove(&shown);
        } else {
            kept.insert(shown, text.to_owned());
        }
    }

    /// Opens a line to write on, whatever stands in the way of a decision: whoever presses the key goes on
    /// typing, and what is typed must never be taken for keys. What stands in the way is said at the end.
    fn start_writing(&mut self, denial: bool) {
        let Some(waiting) = self.current() else {
            self.say(Tone::Calm, self.nothing_here());
            return;
        };
        let key = key(&waiting.call);
        self.mode = if waiting.gone.is_some() {
            Mode::Torn
        } else {
            let note = self.drafts.get(&key);
            let begun = if denial { self.denials.get(&key).or(note) } else { note };
            let field = begun.map_or_else(Field::default, |text| Field::holding(text));
            if denial { Mode::Denying(field, None) } else { Mode::Noting(field) }
        };
        self.status = None;
    }

    fn write_denial(
        &mut self,
        mut field: Field,
        width: Option<Json>,
        pressed: KeyEvent,
        now: Timestamp,
    ) -> Option<Wish> {
        match pressed.code {
            KeyCode::Enter => {
                self.keep(true, &field.text());
                return if self.may_decide(now) {
                    self.send(Decision::Deny, Some(field.text()), width)
                } else {
                    None
                };
            }
            KeyCode::Esc => self.keep(true, &field.text()),
            _ => {
                field.press(pressed);
                self.mode = Mode::Denying(field, width);
            }
        }
        None
    }

    fn write_note(&mut self, mut field: Field, pressed: KeyEvent) -> Option<Wish> {
        match pressed.code {
            KeyCode::Enter => self.keep(false, &field.text()),
            KeyCode::Esc => {}
            _ => {
                field.press(pressed);
                self.mode = Mode::Noting(field);
            }
        }
        None
    }

    fn search(&mut self, mut field: Field, pressed: KeyEvent) -> Option<Wish> {
        match pressed.code {
            KeyCode::Enter => {}
            KeyCode::Esc => field = Field::default(),
            _ => {
                field.press(pressed);
                self.mode = Mode::Searching(field.clone());
            }
        }
        self.looking_for = field.text();
        self.settle();
        None
    }
}

/// Turns the pages, if the key means that.
fn scroll(page: &mut Page, pressed: KeyEvent) -> bool {
    let control = pressed.modifiers.contains(KeyModifiers::CONTROL);
    // A line stays in sight, so that whoever reads on knows where they were.
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
    page.turn(by, page.height);
    true
}
