//! A text field: a comment or a search string.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The text and the cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextField {
    before: String,
    /// The text after the cursor, in reverse order.
    after: Vec<char>,
}

impl TextField {
    pub(crate) fn holding(text: &str) -> Self {
        Self { before: text.to_owned(), after: Vec::new() }
    }

    pub(crate) fn text(&self) -> String {
        self.before.chars().chain(self.after.iter().rev().copied()).collect()
    }

    /// The text before and after the cursor.
    pub(crate) fn parts(&self) -> (&str, String) {
        (&self.before, self.after.iter().rev().collect())
    }

    /// Inserts text. Control characters become spaces.
    pub(crate) fn insert(&mut self, text: &str) {
        self.before.extend(text.chars().map(|c| if c.is_control() { ' ' } else { c }));
    }

    /// Handles a key. Returns whether the key had an effect.
    pub(crate) fn handle_key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('a') if control => self.go_home(),
            KeyCode::Char('e') if control => self.go_to_end(),
            KeyCode::Char('u') if control => self.before.clear(),
            KeyCode::Char('k') if control => self.after.clear(),
            KeyCode::Char('w') if control => self.drop_word(),
            KeyCode::Char(c) if !control => self.before.push(c),
            KeyCode::Backspace => drop(self.before.pop()),
            KeyCode::Delete => drop(self.after.pop()),
            KeyCode::Left => self.after.extend(self.before.pop()),
            KeyCode::Right => self.before.extend(self.after.pop()),
            KeyCode::Home => self.go_home(),
            KeyCode::End => self.go_to_end(),
            _ => return false,
        }
        true
    }

    fn go_home(&mut self) {
        self.after.extend(std::mem::take(&mut self.before).chars().rev());
    }

    fn go_to_end(&mut self) {
        self.before.extend(std::mem::take(&mut self.after).into_iter().rev());
    }

    fn drop_word(&mut self) {
        let kept = self.before.trim_end().rfind(' ').map_or(0, |space| space + 1);
        self.before.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_edited_as_lines_are() {
        let mut field = TextField::holding("not today");
        let mut press = |code| field.handle_key(KeyEvent::new(code, KeyModifiers::NONE));
        for code in [KeyCode::Left, KeyCode::Left, KeyCode::Backspace, KeyCode::Char('D'), KeyCode::Delete] {
            assert!(press(code));
        }
        assert!(!press(KeyCode::F(1)));
        assert_eq!(field.text(), "not toDy");
        field.handle_key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        assert_eq!(field.text(), "not y");
        field.handle_key(KeyEvent::new(KeyCode::Home, KeyModifiers::NONE));
        field.insert("a\nb ");
        assert_eq!(field.parts(), ("a b ", "not y".to_owned()));
    }
}
