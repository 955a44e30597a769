//! Reads a word: quotes, backslashes, file name patterns and expansions.

use super::{builder::WordBuilder, line::CommandWord, reader::LineReader};

/// Returns true if an unquoted character ends a word.
fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

impl LineReader<'_> {
    /// Reads one word, up to a blank or an operator.
    pub(super) fn read_word(&mut self) -> CommandWord {
        self.cursor.skip_continuations();
        let start = self.cursor.position();
        let mut word = WordBuilder::new(start);
        while let Some(c) = self.cursor.peek().filter(|c| !ends_word(*c)) {
            self.read_part(c, &mut word);
        }
        let raw = self.cursor.slice(start..self.cursor.position());
        if self.awaits_document && raw.contains('\n') {
            self.mark_unclear("a word continues on the line of a here-document");
        }
        word.finish(raw)
    }

    fn read_part(&mut self, c: char, word: &mut WordBuilder) {
        match c {
            '$' => return self.read_dollar(word, false),
            '`' => return self.read_backticks(word, false),
            '\\' => return self.read_escape(word),
            '\'' => return self.read_single_quotes(word),
            '"' => return self.read_double_quotes(word),
            _ => {}
        }
        let next = self.cursor.peek_second();
        let is_alone = word.is_empty() && next.is_none_or(ends_word);
        let at = self.cursor.position();
        self.cursor.next_raw();
        match c {
            '[' | '{' | '}' if is_alone => word.push(c, at, false),
            '{' if word.is_empty() && next == Some('}') => self.read_empty_braces(word, at),
            '*' | '?' | '[' | '{' | '}' => word.add_file_pattern(),
            '!' => self.read_exclamation(word, at, next.is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | '='))),
            '~' if word.is_empty() || matches!(word.last(), Some('=' | ':')) => {
                if next == Some('[') {
                    self.mark_unclear("`~[` calls a function in some shells");
                }
                word.add_file_pattern();
            }
            '=' | '%' | '^' if word.is_empty() => word.add_unknown(),
            c => word.push(c, at, false),
        }
    }

    /// Reads `{}`, which is a plain word only by itself.
    fn read_empty_braces(&mut self, word: &mut WordBuilder, at: usize) {
        let end = self.cursor.position();
        self.cursor.next();
        if end == at + 1 && self.cursor.peek().is_none_or(ends_word) {
            word.push('{', at, false);
            word.push('}', at + 1, false);
        } else {
            word.add_file_pattern();
        }
    }

    /// Reads `!`, which interactive shells replace with an earlier command unless certain characters follow.
    fn read_exclamation(&mut self, word: &mut WordBuilder, at: usize, is_plain: bool) {
        if is_plain {
            word.push('!', at, false);
        } else {
            self.mark_unclear("`!` recalls an earlier command in interactive shells");
            word.add_unknown();
        }
    }

    fn read_escape(&mut self, word: &mut WordBuilder) {
        self.cursor.next_raw();
        let at = self.cursor.position();
        match self.cursor.next_raw() {
            Some(c) => word.push(c, at, true),
            None => self.mark_unclear("it ends in a backslash"),
        }
    }

    fn read_single_quotes(&mut self, word: &mut WordBuilder) {
        self.cursor.next_raw();
        word.add_quotes();
        loop {
            let at = self.cursor.position();
            match self.cursor.next_raw() {
                Some('\'') => return,
                Some(c) => word.push(c, at, true),
                None => return self.mark_unclear("a quote is not closed"),
            }
        }
    }

    pub(super) fn read_double_quotes(&mut self, word: &mut WordBuilder) {
        self.cursor.next_raw();
        word.add_quotes();
        loop {
            match self.cursor.peek() {
                Some('"') => {
                    self.cursor.next_raw();
                    return;
                }
                Some(c) => self.read_quoted_part(c, word),
                None => return self.mark_unclear("a quote is not closed"),
            }
        }
    }

    /// Reads one character or expansion in double quotes or in a here-document.
    pub(super) fn read_quoted_part(&mut self, c: char, word: &mut WordBuilder) {
        match c {
            '$' => return self.read_dollar(word, true),
            '`' => return self.read_backticks(word, true),
            _ => {}
        }
        let next = self.cursor.peek_second();
        let mut at = self.cursor.position();
        self.cursor.next_raw();
        match c {
            '!' => {
                let is_plain = next.is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | '=' | '"'));
                self.read_exclamation(word, at, is_plain);
            }
            '\\' => {
                let mut escaped = '\\';
                if matches!(self.cursor.rest().chars().next(), Some('$' | '`' | '"' | '\\')) {
                    at = self.cursor.position();
                    escaped = self.cursor.next_raw().unwrap_or('\\');
                }
                word.push(escaped, at, true);
            }
            c => word.push(c, at, true),
        }
    }

    /// Reads a script in backticks. Its commands are not commands of the line, because their text differs.
    pub(super) fn read_backticks(&mut self, word: &mut WordBuilder, quoted: bool) {
        self.mark_unclear("backticks");
        word.add_unknown();
        self.cursor.next();
        let mut script = String::new();
        loop {
            match self.cursor.next_raw() {
                Some('`') => return self.line.backtick_scripts.push(script),
                Some('\\') => {
                    let next = self.cursor.rest().chars().next();
                    let is_quoted = matches!(next, Some('`' | '\\' | '$')) || quoted && next == Some('"');
                    match next.filter(|_| is_quoted) {
                        Some(c) => {
                            self.cursor.next_raw();
                            script.push(c);
                        }
                        None => script.push('\\'),
                    }
                }
                Some(c) => script.push(c),
                None => {
                    self.line.backtick_scripts.push(script);
                    return self.mark_unclear("a backtick is not closed");
                }
            }
        }
    }
}
