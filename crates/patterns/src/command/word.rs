//! Reads one word of a command line as the shell does: it removes quotes and replaces each expansion with a hole.

use std::{iter::Peekable, str::Chars};

use crate::invisible::HOLE;

/// A word and the command lines in its expansions.
#[derive(Debug, Clone, Default)]
pub(super) struct ShellWord {
    /// The word as written.
    pub(super) raw: String,
    /// The word as the command receives it, with a [`HOLE`] for each expansion.
    pub(super) text: String,
    /// True if `text` is exact: the shell expands, splits and globs nothing in it.
    pub(super) literal: bool,
    /// The command lines that the shell runs to expand the word.
    pub(super) scripts: Vec<String>,
    /// True if the word could not be read to its end.
    pub(super) broken: bool,
}

impl ShellWord {
    /// Reads a word of a command line.
    pub(super) fn read(raw: &str) -> Self {
        let mut reader = WordReader::new(raw);
        reader.unquoted();
        reader.word
    }

    /// Reads text that is expanded as in double quotes: a here-document or an arithmetic expression.
    pub(super) fn read_quoted(raw: &str) -> Self {
        let mut reader = WordReader::new(raw);
        while let Some(c) = reader.rest.next() {
            reader.in_double_quotes(c);
        }
        reader.word
    }

    /// Makes a word without quotes or expansions.
    pub(super) fn literal(text: &str) -> Self {
        Self { raw: text.to_owned(), text: text.to_owned(), literal: true, ..Self::default() }
    }

    /// The word as shown to an approver, quoted if it contains special characters.
    pub(super) fn shown(&self) -> String {
        if !self.literal {
            return self.raw.clone();
        }
        let plain = |c: char| c.is_alphanumeric() || "_-+=:,./@%^!".contains(c);
        if !self.text.is_empty() && self.text.chars().all(plain)
            || matches!(self.text.as_str(), "[" | "]" | "{}")
        {
            return self.text.clone();
        }
        format!("'{}'", self.text.replace('\'', r"'\''"))
    }
}

struct WordReader<'a> {
    rest: Peekable<Chars<'a>>,
    before: Option<char>,
    word: ShellWord,
}

impl<'a> WordReader<'a> {
    fn new(raw: &'a str) -> Self {
        let word = ShellWord { raw: raw.to_owned(), literal: true, ..ShellWord::default() };
        Self { rest: raw.chars().peekable(), before: None, word }
    }

    fn hole(&mut self) {
        self.word.literal = false;
        self.word.text.push(HOLE);
    }

    fn broken(&mut self) {
        self.word.broken = true;
        self.hole();
    }

    fn unquoted(&mut self) {
        // These are ordinary words: the test command, the placeholder of find, and reserved words.
        if matches!(self.word.raw.as_str(), "[" | "]" | "{}" | "{" | "}" | "!") {
            self.word.text = self.word.raw.clone();
            return;
        }
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => match self.rest.next() {
                    Some('\n') => {}
                    Some(c) => self.word.text.push(c),
                    None => self.word.text.push('\\'),
                },
                '\'' => self.single_quotes(),
                '"' => self.double_quotes(),
                '$' if self.rest.next_if_eq(&'\'').is_some() => self.ansi_quotes(),
                '$' if self.rest.next_if_eq(&'"').is_some() => {
                    self.hole();
                    self.double_quotes();
                }
                '$' => self.dollar(),
                '`' => self.backticks(),
                // These start a glob or a brace expansion.
                '*' | '?' | '[' | '{' | '}' => self.hole(),
                // A word never contains these unquoted, so the reading so far differs from the shell's.
                '(' | ')' | '<' | '>' | ';' | '|' | '&' | ' ' | '\t' | '\n' => self.broken(),
                '!' if self.rest.peek().is_some_and(|c| *c != '=') => self.hole(),
                '~' if matches!(self.before, None | Some('=' | ':')) => self.hole(),
                '=' | '%' | '^' if self.before.is_none() => self.hole(),
                c => self.word.text.push(c),
            }
            self.before = Some(c);
        }
    }

    fn single_quotes(&mut self) {
        loop {
            match self.rest.next() {
                Some('\'') => return,
                Some(c) => self.word.text.push(c),
                None => return self.broken(),
            }
        }
    }

    /// Reads `$'…'`. Its escapes can produce any character, so its value counts as unknown.
    fn ansi_quotes(&mut self) {
        self.hole();
        loop {
            match self.rest.next() {
                Some('\'') => return,
                Some('\\') => drop(self.rest.next()),
                Some(_) => {}
                None => return self.broken(),
            }
        }
    }

    fn double_quotes(&mut self) {
        loop {
            match self.rest.next() {
                Some('"') => return,
                Some(c) => self.in_double_quotes(c),
                None => return self.broken(),
            }
        }
    }

    fn in_double_quotes(&mut self, c: char) {
        match c {
            '\\' => match self.rest.next_if(|c| matches!(c, '$' | '`' | '"' | '\\' | '\n')) {
                Some('\n') => {}
                Some(c) => self.word.text.push(c),
                None => self.word.text.push('\\'),
            },
            '$' => self.dollar(),
            '`' => self.backticks(),
            '!' if self.rest.peek().is_some_and(|c| !matches!(c, '=' | ' ' | '"')) => self.hole(),
            c => self.word.text.push(c),
        }
    }

    fn dollar(&mut self) {
        match self.rest.peek() {
            Some('(') => {
                self.rest.next();
                self.hole();
                match self.until_closed('(', ')') {
                    Some(inner) => self.substitution(inner),
                    None => self.broken(),
                }
            }
            Some('{' | '[') => {
                let open = self.rest.next().unwrap_or('{');
                self.hole();
                match self.until_closed(open, if open == '{' { '}' } else { ']' }) {
                    Some(inner) => self.nested_expansion(&inner),
                    None => self.broken(),
                }
            }
            Some(c) if c.is_alphanumeric() || "_@*#?-$!".contains(*c) => {
                self.rest.next();
                self.hole();
                while self.rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_').is_some() {}
            }
            _ => self.word.text.push('$'),
        }
    }

    /// Reads `$((…))` as arithmetic if the inner parentheses are balanced, and as a subshell if not.
    fn substitution(&mut self, inner: String) {
        let sum = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
        match sum.filter(|sum| is_balanced(sum)) {
            Some(sum) => self.nested_expansion(sum),
            None => self.word.scripts.push(inner),
        }
    }

    /// Reads the text inside an expansion, which the shell expands in turn.
    fn nested_expansion(&mut self, inner: &str) {
        let inner = ShellWord::read_quoted(inner);
        self.word.scripts.extend(inner.scripts);
        self.word.broken |= inner.broken;
    }

    fn backticks(&mut self) {
        self.hole();
        let mut script = String::new();
        loop {
            match self.rest.next() {
                Some('`') => return self.word.scripts.push(script),
                Some('\\') => match self.rest.next_if(|c| matches!(c, '`' | '\\' | '$')) {
                    Some(c) => script.push(c),
                    None => script.push('\\'),
                },
                Some(c) => script.push(c),
                None => return self.broken(),
            }
        }
    }

    /// Reads up to the matching closing bracket. Brackets in quotes do not count. In comments and here-documents only a
    /// full parser knows what is quoted, so the word counts as broken.
    fn until_closed(&mut self, open: char, close: char) -> Option<String> {
        let mut inner = String::new();
        let (mut depth, mut quote, mut before) = (1, None, ' ');
        loop {
            let c = self.rest.next()?;
            match (c, quote) {
                ('\\', None | Some('"')) => {
                    inner.push(c);
                    inner.push(self.rest.next()?);
                    before = c;
                    continue;
                }
                ('\'', None) if before == '$' => return None,
                ('`', None) if open == '(' => return None,
                ('#', None) if open == '(' && (before.is_whitespace() || ";|&(".contains(before)) => {
                    return None;
                }
                ('<', None) if before == '<' => self.word.broken = true,
                ('\'' | '"', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                (c, None) if c == open => depth += 1,
                (c, None) if c == close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(inner);
            }
            before = c;
            inner.push(c);
        }
    }
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    for c in text.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}
