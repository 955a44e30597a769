//! Recognises `sed` and `awk` scripts that only read and print. Every other script is assumed to have an effect.

use crate::invisible::HOLE;
use std::{iter::Peekable, str::Chars};

/// Returns true unless the `sed` script consists of commands that only print, delete lines or substitute text.
pub(super) fn has_sed_effect(script: &str) -> bool {
    // Within brackets, a delimiter ends the regular expression in some versions and not in others.
    script.contains(HOLE) || [true, false].into_iter().any(|brackets| !SedReader::is_plain(script, brackets))
}

/// Returns true unless the `awk` program calls no command, writes to no file and reads no other than its operands.
pub(super) fn has_awk_effect(program: &str) -> bool {
    let rest = program.replace("||", " ").replace(">=", " ");
    ["system", "getline", "ARGV", "|", ">", "@", "\\\n"].iter().any(|part| rest.contains(part))
        || rest.contains(HOLE)
}

struct SedReader<'a> {
    rest: Peekable<Chars<'a>>,
    /// Whether a delimiter within brackets is an ordinary character.
    brackets: bool,
}

impl SedReader<'_> {
    fn is_plain(script: &str, brackets: bool) -> bool {
        let mut reader = SedReader { rest: script.chars().peekable(), brackets };
        loop {
            while reader.rest.next_if(|c| matches!(c, ';' | ' ' | '\t' | '\n' | '}')).is_some() {}
            if reader.rest.peek().is_none() {
                return true;
            }
            if reader.command().is_none() {
                return false;
            }
        }
    }

    /// Reads one command with its addresses. `None` if it may have an effect.
    fn command(&mut self) -> Option<()> {
        self.address()?;
        if self.rest.next_if_eq(&',').is_some() {
            self.rest.next_if(|c| matches!(c, '+' | '~'));
            self.address()?;
        }
        while self.rest.next_if(|c| matches!(c, ' ' | '!')).is_some() {}
        match self.rest.next()? {
            '{' => Some(()),
            'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' => self.end(),
            'q' | 'Q' | 'l' => {
                self.skip_digits();
                self.end()
            }
            's' => {
                let delimiter = self.rest.next().filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
                self.until(delimiter, self.brackets)?;
                self.until(delimiter, false)?;
                while self
                    .rest
                    .next_if(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') || c.is_ascii_digit())
                    .is_some()
                {}
                self.end()
            }
            _ => None,
        }
    }

    fn address(&mut self) -> Option<()> {
        match self.rest.peek() {
            Some('$') => drop(self.rest.next()),
            Some('/') => {
                self.rest.next();
                self.until('/', self.brackets)?;
                while self.rest.next_if(|c| matches!(c, 'I' | 'M')).is_some() {}
            }
            _ => {
                self.skip_digits();
                if self.rest.next_if_eq(&'~').is_some() {
                    self.skip_digits();
                }
            }
        }
        Some(())
    }

    fn skip_digits(&mut self) {
        while self.rest.next_if(char::is_ascii_digit).is_some() {}
    }

    /// Reads the end of a command.
    fn end(&mut self) -> Option<()> {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        matches!(self.rest.peek(), None | Some(';' | '\n' | '}')).then_some(())
    }

    /// Reads up to the delimiter.
    fn until(&mut self, delimiter: char, brackets: bool) -> Option<()> {
        loop {
            match self.rest.next()? {
                '\\' => drop(self.rest.next()?),
                '[' if brackets => self.skip_brackets()?,
                c if c == delimiter => return Some(()),
                _ => {}
            }
        }
    }

    /// Reads a bracket expression, in which the first `]` and the `]` of a class such as `[:alpha:]` are not the end.
    fn skip_brackets(&mut self) -> Option<()> {
        self.rest.next_if_eq(&'^');
        self.rest.next_if_eq(&']');
        loop {
            match self.rest.next()? {
                ']' => return Some(()),
                '[' => {
                    let Some(kind) = self.rest.next_if(|c| matches!(c, ':' | '.' | '=')) else { continue };
                    while !(self.rest.next()? == kind && self.rest.next_if_eq(&']').is_some()) {}
                }
                _ => {}
            }
        }
    }
}
