//! Reads what follows a dollar sign.

use super::{builder::WordBuilder, line::ListEnd, reader::LineReader};

impl LineReader<'_> {
    /// Reads an expansion, or a dollar sign that is one for itself.
    pub(super) fn read_dollar(&mut self, word: &mut WordBuilder, quoted: bool) {
        let at = self.cursor.position();
        self.cursor.next();
        match self.cursor.peek() {
            Some('(') => self.read_substitution(word, quoted),
            Some('{') => self.read_braced_name(word, quoted),
            Some('[') => {
                self.mark_unclear("`$[`");
                word.add_unknown();
            }
            Some('\'') if !quoted => self.read_ansi_quotes(word),
            Some('"') if !quoted => {
                self.mark_unclear("`$\"`");
                word.add_unknown();
                self.read_double_quotes(word);
            }
            Some(c) if c == '_' || c.is_ascii_alphabetic() => {
                self.read_name();
                if self.cursor.peek() == Some('[') {
                    self.mark_unclear("an index after a variable, which some shells compute");
                }
                word.add_variable(quoted);
            }
            Some('0'..='9' | '?' | '@' | '*') => {
                self.cursor.next();
                word.add_variable(quoted);
            }
            Some('#' | '$' | '-' | '!') => {
                self.cursor.next();
                let next = self.cursor.peek();
                if next.is_some_and(|c| c == '_' || c == '{' || c.is_ascii_alphanumeric()) {
                    self.mark_unclear("a variable that shells read in different ways");
                }
                word.add_variable(quoted);
            }
            next => {
                let is_plain = next.is_none_or(|c| " \t\n/.,|);%\\\"".contains(c));
                if !is_plain {
                    self.mark_unclear("a dollar sign that shells read in different ways");
                }
                word.push('$', at, quoted);
            }
        }
    }

    fn read_name(&mut self) -> usize {
        let mut letters = 0;
        while self.cursor.peek().is_some_and(|c| c == '_' || c.is_ascii_alphanumeric()) {
            self.cursor.next_raw();
            letters += 1;
        }
        letters
    }

    /// Reads `(…)` after a dollar sign.
    fn read_substitution(&mut self, word: &mut WordBuilder, quoted: bool) {
        self.cursor.next();
        if quoted && self.read_message(word) {
            return;
        }
        if self.cursor.peek() == Some('(') {
            self.mark_unclear("`$((`");
        }
        word.add_unknown();
        self.nest(|reader| reader.read_list(ListEnd::Parenthesis));
    }

    /// Reads `${name}`. Other forms are unclear, and the substitutions in them are read.
    fn read_braced_name(&mut self, word: &mut WordBuilder, quoted: bool) {
        self.cursor.next();
        if self.read_name() > 0 && self.cursor.eat('}') {
            return word.add_variable(quoted);
        }
        self.mark_unclear("`${` with more than a name");
        word.add_unknown();
        self.nest(|reader| reader.read_to_brace(quoted));
    }

    /// Reads the remainder of a `${`, for the substitutions in it.
    fn read_to_brace(&mut self, quoted: bool) {
        let mut inner = WordBuilder::new(self.cursor.position());
        while let Some(c) = self.cursor.peek() {
            match c {
                '}' => {
                    self.cursor.next_raw();
                    return;
                }
                '$' => self.read_dollar(&mut inner, quoted),
                '`' => self.read_backticks(&mut inner, quoted),
                '"' => self.read_double_quotes(&mut inner),
                '\\' => {
                    self.cursor.next_raw();
                    self.cursor.next_raw();
                }
                '\'' if !quoted => {
                    self.cursor.next_raw();
                    while self.cursor.next_raw().is_some_and(|c| c != '\'') {}
                }
                _ => drop(self.cursor.next_raw()),
            }
        }
    }

    /// Reads `$'…'` as bash does. Other shells read it in another way.
    fn read_ansi_quotes(&mut self, word: &mut WordBuilder) {
        self.mark_unclear("`$'`");
        word.add_unknown();
        self.cursor.next();
        while let Some(c) = self.cursor.next_raw() {
            match c {
                '\'' => return,
                '\\' => drop(self.cursor.next_raw()),
                _ => {}
            }
        }
    }
}
