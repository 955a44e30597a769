//! Reads redirections.

use super::{
    documents::DocumentPlace,
    line::{CommandRedirection, CommandWord, ListEnd, RedirectionKind},
    list::ListState,
    reader::LineReader,
};

impl LineReader<'_> {
    /// Reads a redirection with its target.
    pub(super) fn read_redirection(&mut self, state: &mut ListState) {
        let first = self.cursor.next();
        if first.is_some_and(|c| c.is_ascii_digit()) {
            return self.read_redirection_operator(None, state);
        }
        self.read_redirection_operator(first, state);
    }

    fn read_redirection_operator(&mut self, first: Option<char>, state: &mut ListState) {
        let first = first.or_else(|| self.cursor.next());
        if first == Some('&') {
            self.cursor.next();
            self.cursor.eat('>');
            return self.read_target(RedirectionKind::WriteAll, state);
        }
        let is_input = first == Some('<');
        match self.cursor.peek() {
            Some('(') => self.read_process_substitution(state),
            Some('&') => {
                self.cursor.next();
                self.read_target(RedirectionKind::Duplicate, state);
            }
            Some('<') if is_input => {
                self.cursor.next();
                self.line.has_source = true;
                if self.cursor.eat('<') {
                    return self.read_target(RedirectionKind::HereString, state);
                }
                self.read_document_tag(state);
            }
            Some('>') => {
                self.cursor.next();
                self.read_target(RedirectionKind::Write, state);
            }
            Some('|') if !is_input => {
                self.cursor.next();
                self.read_target(RedirectionKind::Write, state);
            }
            _ if is_input => self.read_target(RedirectionKind::Read, state),
            _ => self.read_target(RedirectionKind::Write, state),
        }
    }

    fn read_process_substitution(&mut self, state: &mut ListState) {
        self.mark_unclear("a process substitution");
        self.line.has_source = true;
        self.cursor.next();
        let word = CommandWord::unknown(self.cursor.position());
        state.command.words.push(CommandWord { raw: "<()".to_owned(), ..word });
        self.nest(|reader| reader.read_list(ListEnd::Parenthesis));
    }

    fn read_target(&mut self, kind: RedirectionKind, state: &mut ListState) {
        if kind == RedirectionKind::Duplicate && matches!(self.cursor.peek(), Some(' ' | '\t')) {
            self.mark_unclear("a descriptor after a blank");
        }
        self.cursor.skip_blanks();
        if self.cursor.peek() == Some('(') || self.cursor.peek() == Some('#') {
            self.mark_unclear("a redirection without a target");
        }
        let is_process =
            matches!(self.cursor.peek(), Some('<' | '>')) && self.cursor.peek_second() == Some('(');
        if is_process {
            self.cursor.next();
            self.read_process_substitution(state);
            return self.add_redirection(kind, CommandWord::unknown(self.cursor.position()), state);
        }
        let target = self.read_word();
        if target.raw.is_empty() {
            self.mark_unclear("a redirection without a target");
        }
        let is_descriptor =
            target.raw == "-" || target.raw.len() == 1 && target.raw.as_bytes()[0].is_ascii_digit();
        if kind == RedirectionKind::Duplicate && !is_descriptor {
            self.mark_unclear("a descriptor that shells read in different ways");
        }
        self.add_redirection(kind, target, state);
    }

    fn read_document_tag(&mut self, state: &mut ListState) {
        let start = self.cursor.position();
        let Some(mut document) = self.read_tag() else {
            self.mark_unclear("the tag of a here-document");
            return self.add_redirection(RedirectionKind::HereDocument, CommandWord::unknown(start), state);
        };
        self.awaits_document = true;
        if state.after_block {
            document.place = DocumentPlace::Block;
            document.redirection = self.line.block_redirections.len();
        } else {
            document.redirection = state.command.redirections.len();
        }
        state.pending.push(document);
        self.add_redirection(RedirectionKind::HereDocument, CommandWord::unknown(start), state);
    }

    fn add_redirection(&mut self, kind: RedirectionKind, target: CommandWord, state: &mut ListState) {
        let words_before = state.command.words.len();
        let redirection = CommandRedirection { kind, target, words_before };
        if state.after_block {
            self.line.block_redirections.push(redirection);
        } else {
            state.command.redirections.push(redirection);
        }
    }
}
