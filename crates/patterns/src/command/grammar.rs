//! Reads lists: separators, pipes, parentheses and comments.

use super::{
    line::{ListEnd, SimpleCommand},
    list::{ListState, OpenBlock},
    reader::LineReader,
};

impl LineReader<'_> {
    /// Reads commands up to `end`.
    pub(super) fn read_list(&mut self, end: ListEnd) {
        let mut state = ListState::new();
        while let Some(c) = self.cursor.peek() {
            self.cursor.meter.count_token();
            self.cursor.meter.check_depth(self.depth + state.blocks.len());
            match c {
                ' ' | '\t' => drop(self.cursor.next_raw()),
                '\n' => self.read_line_break(&mut state),
                ')' if end == ListEnd::Parenthesis && !has_subshell(&state) => {
                    self.cursor.next_raw();
                    return self.finish_list(&mut state);
                }
                ';' | '&' | '|' => self.read_separator(c, &mut state),
                '(' => self.open_parenthesis(&mut state),
                ')' => self.close_parenthesis(&mut state),
                '<' | '>' => self.read_redirection(&mut state),
                '#' => self.read_comment(&mut state),
                _ => self.read_next_word(&mut state),
            }
        }
        if end == ListEnd::Parenthesis {
            self.mark_unclear("a parenthesis is not closed");
        }
        self.finish_list(&mut state);
    }

    fn finish_list(&mut self, state: &mut ListState) {
        self.end_command(state);
        if !state.blocks.is_empty() || state.needs_command {
            self.mark_unclear("a command is not complete");
        }
        if !state.pending.is_empty() {
            self.mark_unclear("a here-document does not begin");
        }
    }

    /// Adds the command that ends here.
    pub(super) fn end_command(&mut self, state: &mut ListState) {
        if let Some(command) = state.take_command(self.line.commands.len()) {
            self.line.commands.push(command);
        }
    }

    fn read_line_break(&mut self, state: &mut ListState) {
        self.cursor.next_raw();
        self.end_command(state);
        self.read_documents(&mut state.pending);
    }

    fn read_separator(&mut self, c: char, state: &mut ListState) {
        if c == '&' && self.cursor.peek_second() == Some('>') {
            return self.read_redirection(state);
        }
        self.cursor.next_raw();
        let is_missing = state.is_at_start();
        let next = self.cursor.peek();
        self.end_command(state);
        if is_missing {
            self.mark_unclear("a separator without a command");
        }
        match (c, next) {
            ('&', Some('&')) | ('|', Some('|')) => {
                self.cursor.next_raw();
                state.needs_command = true;
            }
            ('|', _) => {
                if next == Some('&') {
                    self.cursor.next_raw();
                    self.mark_unclear("`|&`");
                }
                self.line.has_source = true;
                state.needs_command = true;
                state.command.is_piped = true;
            }
            (';', Some(';' | '&' | '|')) => self.mark_unclear("a separator without a command"),
            _ => {}
        }
    }

    fn open_parenthesis(&mut self, state: &mut ListState) {
        self.cursor.next_raw();
        if state.is_at_start() {
            if self.cursor.peek() == Some('(') {
                self.mark_unclear("`((`");
            }
            state.command = SimpleCommand::default();
            return state.open(OpenBlock::Subshell(false));
        }
        self.mark_unclear("a parenthesis after a word");
        self.cursor.skip_blanks();
        state.command.is_doubtful = true;
        if self.cursor.eat(')') {
            // The words are the name of a function, whose commands follow.
            return self.end_command(state);
        }
        self.end_command(state);
        state.open(OpenBlock::Subshell(true));
    }

    fn close_parenthesis(&mut self, state: &mut ListState) {
        self.cursor.next_raw();
        self.end_command(state);
        if !state.close(&[OpenBlock::Subshell(false), OpenBlock::Subshell(true)]) {
            self.mark_unclear("a parenthesis out of place");
            // Everything within an open parenthesis ends with it.
            while state.blocks.pop().is_some_and(|block| !matches!(block, OpenBlock::Subshell(_))) {}
        }
    }

    /// Reads a comment. Interactive shells may read it as arguments, so it must not contain an operator.
    fn read_comment(&mut self, state: &mut ListState) {
        let text = self.cursor.rest().split('\n').next().unwrap_or_default();
        self.cursor.advance(text.len());
        let is_plain = |c: char| c.is_alphanumeric() || " \t#.,-_/:+@%".contains(c);
        if !text.chars().all(is_plain) || state.after_block || state.needs_command {
            self.mark_unclear("a comment, which some interactive shells run");
        }
        if !state.is_command_empty() {
            state.command.comment = Some(text.trim_end().to_owned());
        }
    }

    fn read_next_word(&mut self, state: &mut ListState) {
        let next = self.cursor.peek_second();
        if matches!(next, Some('<' | '>')) && self.cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.read_redirection(state);
        }
        let word = self.read_word();
        if word.raw.is_empty() {
            return;
        }
        let is_descriptor = word.raw.bytes().all(|byte| byte.is_ascii_digit()) || word.raw.ends_with('}');
        if is_descriptor && matches!(self.cursor.peek(), Some('<' | '>')) {
            self.mark_unclear("a redirection of a large or named descriptor");
        }
        if state.is_at_start() && self.read_keyword(&word, state) {
            return;
        }
        if matches!(word.raw.as_str(), "{" | "}") {
            self.mark_unclear("a brace out of place");
        }
        if state.after_block {
            self.mark_unclear("a word after the end of a block");
            state.after_block = false;
        }
        state.add_word(word);
    }
}

fn has_subshell(state: &ListState) -> bool {
    state.blocks.iter().any(|block| matches!(block, OpenBlock::Subshell(_)))
}
