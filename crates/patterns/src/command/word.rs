//! One word of a command line as the shell will read it: its quotes removed, and a hole where only the shell
//! knows what will stand.

use std::{iter::Peekable, str::Chars};

use crate::unseen::HOLE;

/// A word, and what hides in it.
#[derive(Debug, Clone, Default)]
pub(super) struct ShellWord {
    /// As it is written.
    pub(super) raw: String,
    /// As the command gets it, with a [`HOLE`] for each expansion.
    pub(super) text: String,
    /// Whether `text` is all there is to it: nothing is expanded, split or matched against files.
    pub(super) literal: bool,
    /// The command lines in it that are run to expand it.
    pub(super) scripts: Vec<String>,
    /// Whether it could not be read to its end.
    pub(super) broken: bool,
}

impl ShellWord {
    /// Reads a word of a command line.
    pub(super) fn read(raw: &str) -> Self {
        let mut reader = WordReader::new(raw);
        reader.unquoted();
        reader.word
    }

    /// Reads what is expanded as between double quotes: the text of a here-document, an arithmetic expression.
    pub(super) fn read_quoted(raw: &str) -> Self {
        let mut reader = WordReader::new(raw);
        while let Some(c) = reader.rest.next() {
            reader.in_double_quotes(c);
        }
        reader.word
    }

    /// A word that is nothing but its text.
    pub(super) fn literal(text: &str) -> Self {
        Self { raw: text.to_owned(), text: text.to_owned(), literal: true, ..Self::default() }
    }

    /// The word in such quotes that a person reads as one word.
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
        // These are words of their own: the test, and what find puts a file in place of.
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
                // Files' names, lists, other words, history and functions come in by these.
                '*' | '?' | '[' | '{' | '}' => self.hole(),
                // No word holds these: what was read before them ended where the shell's reading does not.
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

    /// `$'…'` can spell any character by its number; what it spells is not what it shows.
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
                    Some(inner) => self.expanded(&inner),
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

    /// `$((…))` is arithmetic if its parentheses close one another, and a subshell if not.
    fn substitution(&mut self, inner: String) {
        let sum = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
        match sum.filter(|sum| is_balanced(sum)) {
            Some(sum) => self.expanded(sum),
            None => self.word.scripts.push(inner),
        }
    }

    /// What stands in an expansion is expanded itself.
    fn expanded(&mut self, inner: &str) {
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

    /// Up to the bracket that closes the one just read. Brackets within quotes do not count; where only a whole
    /// parser could say what is quoted, as in comments and here-documents, the word counts as broken.
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
