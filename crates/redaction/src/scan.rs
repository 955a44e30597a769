//! Scans a free text once for named values: assignments, header lines, URL parameters and command options.

use super::{
    keys::{self, KeyJudgement, SensitiveKeys, is_count},
    program::{self, NamedProgram},
    value::{self, OpenQuotes, ShellOperators},
};
use std::ops::Range;

/// The longest name before a sign, in bytes. It keeps the scan linear.
const MAX_NAME: usize = 256;

pub(super) struct TextScan<'a> {
    keys: &'a SensitiveKeys,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The start of the current line.
    line: usize,
    open: OpenQuotes,
    /// The last program that this command named.
    program: Option<NamedProgram>,
    spans: Vec<Range<usize>>,
}

/// A name before `=`, `:` or `>`.
struct AssignedName<'a> {
    text: &'a str,
    start: usize,
    quoted: bool,
    spaced: bool,
}

impl<'a> TextScan<'a> {
    pub(super) fn new(keys: &'a SensitiveKeys, text: &'a str) -> Self {
        let (open, spans) = (OpenQuotes::default(), Vec::new());
        Self { keys, text, bytes: text.as_bytes(), at: 0, line: 0, open, program: None, spans }
    }

    /// Returns the spans of the secrets, in the order of the text.
    pub(super) fn find_secrets(mut self) -> Vec<Range<usize>> {
        while let Some(byte) = self.bytes.get(self.at) {
            let found = match byte {
                b'=' | b':' => self.assigned_value(),
                b'>' => self.element_text(),
                b'-' if self.begins_word() => self.option_value(),
                b'/' | b'.' | b'0'..=b'9' | b'a'..=b'z' if self.begins_word() => {
                    self.program = NamedProgram::from_word(self.current_word()).or(self.program);
                    None
                }
                _ => None,
            };
            match found.filter(|range| !range.is_empty()) {
                Some(range) => {
                    self.at = self.resume_position(&range);
                    self.spans.push(range);
                }
                None => self.advance(),
            }
        }
        self.spans
    }

    /// The position at which the scan resumes after a value. The closing quote of a value of several lines may be the
    /// opening quote of another value, because the first one was never closed. The scan therefore reads all lines but
    /// the first again.
    fn resume_position(&self, value: &Range<usize>) -> usize {
        let before = self.text[..value.start].trim_end_matches([' ', '\t']);
        // A block below its name ends at its indentation, so it has no such ambiguity.
        let first_line = self.text[value.clone()].find('\n').filter(|_| !before.ends_with('\n'));
        first_line.map_or(value.end, |length| value.start + length)
    }

    /// Advances by one byte and tracks lines, quotes and commands.
    fn advance(&mut self) {
        let byte = self.bytes[self.at];
        self.at += 1;
        match byte {
            b'\\' if self.at < self.bytes.len() => self.at += 1,
            b'\n' => {
                (self.line, self.open, self.program) = (self.at, OpenQuotes::default(), None);
            }
            b';' | b'|' | b'&' => self.program = None,
            b'"' if !self.open.single => self.open.double = !self.open.double,
            b'\'' if !self.open.double && !self.is_apostrophe() => self.open.single = !self.open.single,
            _ => {}
        }
    }

    /// True if the quote before the current position is inside a word.
    fn is_apostrophe(&self) -> bool {
        let letter =
            |at: Option<usize>| at.and_then(|at| self.bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
        letter(self.at.checked_sub(2)) && letter(Some(self.at))
    }

    fn begins_word(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        before.is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'`(;|&[{,".contains(byte))
    }

    fn current_word(&self) -> &'a str {
        let ends = |c: char| {
            c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | ';' | '|' | '&' | '=' | ',')
        };
        let rest = &self.text[self.at..];
        let rest = &rest[..rest.floor_char_boundary(MAX_NAME)];
        &rest[..rest.find(ends).unwrap_or(rest.len())]
    }

    /// The value of the option that begins here, if it is a secret.
    fn option_value(&self) -> Option<Range<usize>> {
        let flag = self.current_word();
        let end = self.at + flag.len();
        // In `-p'a b'` the quote follows the flag directly; include it so that the value counts as joined.
        let quote = usize::from(matches!(self.bytes.get(end), Some(b'"' | b'\'')));
        let with_quote = self.text.get(self.at..end + quote).unwrap_or(flag);
        if let Some(joined) = self.program.and_then(|program| program.joined_secret_start(with_quote)) {
            let word = value::shell_word(self.text, self.at + joined, self.open);
            return self.unless_reference(word);
        }
        // A quote after the flag means that the flag is one element of a list of strings.
        let start = self.skip_blank(end);
        if start == end || flag.len() < 2 {
            return None;
        }
        let word = self.word_at(start);
        let secret = program::is_option_secret(self.keys, self.program, flag, self.text.get(word.clone())?);
        if secret { self.unless_reference(word) } else { None }
    }

    /// The next position in the same command that is not blank.
    fn skip_blank(&self, mut at: usize) -> usize {
        loop {
            match (self.bytes.get(at), self.bytes.get(at + 1)) {
                (Some(b' ' | b'\t'), _) => at += 1,
                (Some(b'\\'), Some(b'\n')) => at += 2,
                _ => return at,
            }
        }
    }

    /// The text between `<name>` and the next tag.
    fn element_text(&self) -> Option<Range<usize>> {
        let name = self.name_before(self.at)?;
        let tag = name.start.checked_sub(1).and_then(|at| self.bytes.get(at)) == Some(&b'<');
        if !tag || name.spaced || self.keys.judge(name.text) != KeyJudgement::Secret {
            return None;
        }
        let start = self.at + 1;
        let length = self.text[start..].find('<')?;
        Some(start..start + self.text[start..start + length].trim_end().len())
    }

    /// The value after the sign at the current position, if its name makes it a secret.
    fn assigned_value(&self) -> Option<Range<usize>> {
        let colon = self.bytes[self.at] == b':';
        let next = self.bytes.get(self.at + 1).copied().unwrap_or(0);
        if colon && (next == b':' || self.text[self.at..].starts_with("://")) {
            return None;
        }
        let name = self.name_before(self.at)?;
        let judged = self.judge(&name);
        if judged == KeyJudgement::Clear {
            return None;
        }
        let after =
            self.at + if matches!((colon, next), (false, b'=' | b'>') | (true, b'=')) { 2 } else { 1 };
        let start = self.skip_blank(after);
        let spaced = name.spaced || start > after;
        if matches!(self.bytes.get(start), None | Some(b'\n' | b'\r' | b'|' | b'>')) {
            let below = colon && self.begins_line(&name);
            return if below {
                value::indented_block(self.text, start, name.start - self.line)
            } else {
                None
            };
        }
        let range = self.find_value(&name, colon, start, spaced)?;
        let text = self.text.get(range.clone())?;
        let counts = judged == KeyJudgement::Count && is_count(text);
        if counts { None } else { self.unless_reference(range) }
    }

    fn judge(&self, name: &AssignedName<'_>) -> KeyJudgement {
        let before = name.start.checked_sub(1).and_then(|at| self.bytes.get(at));
        if matches!(before, Some(b'?' | b'&')) && keys::is_signature(name.text) {
            return KeyJudgement::Secret;
        }
        // `${TOKEN:-none}` names a variable and its default, not a secret.
        if before == Some(&b'{') && self.text[..name.start].ends_with("${") {
            return KeyJudgement::Clear;
        }
        self.keys.judge(name.text)
    }

    fn find_value(
        &self,
        name: &AssignedName<'_>,
        colon: bool,
        start: usize,
        spaced: bool,
    ) -> Option<Range<usize>> {
        if let Some(quoted) = value::quoted_value(self.text, start, self.open) {
            let in_shell = !name.quoted && !spaced;
            return Some(if in_shell { self.word_at(start) } else { self.without_scheme(quoted.inner) });
        }
        let scheme = self.skip_scheme(start);
        let header = scheme.is_some() || is_header(name.text);
        let start = scheme.unwrap_or(start);
        if colon && !spaced && !header && !self.allows_tight_colon(name) {
            return None;
        }
        let at_start = self.begins_line(name);
        let in_word = scheme.is_none() && !at_start && !self.open.is_any_open();
        if !spaced && (!header || in_word) {
            return Some(value::shell_word(self.text, start, self.open));
        }
        let operators = match (header, at_start || self.open.is_any_open()) {
            (true, true) => ShellOperators::Plain,
            (false, true) => ShellOperators::Spaced,
            _ => ShellOperators::End,
        };
        // `auth: Fix it` is a sentence, and `TOKEN= command` runs the command with an empty variable.
        let no_name = !colon && !name.spaced;
        let one_word = scheme.is_none() && (keys::is_weak(name.text) || no_name);
        if one_word && !((at_start || !no_name) && self.is_last_word(start, operators)) {
            return None;
        }
        Some(value::line_value(self.text, start, self.open, operators))
    }

    /// True if the word at `at` is the last one of the value. It reads only that word, because reading the whole line
    /// for each name would take quadratic time.
    fn is_last_word(&self, at: usize, operators: ShellOperators) -> bool {
        let length = self.bytes[at..].iter().position(u8::is_ascii_whitespace);
        let next = length.map_or(self.bytes.len(), |length| self.skip_blank(at + length));
        next >= self.bytes.len() || value::ends_line_value(self.bytes, next, self.open, operators)
    }

    /// The shell word at `at`, without its quotes and without an authentication scheme.
    fn word_at(&self, at: usize) -> Range<usize> {
        self.without_scheme(value::shell_word(self.text, at, self.open))
    }

    fn without_scheme(&self, range: Range<usize>) -> Range<usize> {
        let start = self.skip_scheme(range.start).filter(|start| *start < range.end);
        start.unwrap_or(range.start)..range.end
    }

    /// True if a colon without a space assigns a value to the name: in `token:abc` it does; in `auth-service:8080`
    /// and in a resource name with `secret:name` it does not.
    fn allows_tight_colon(&self, name: &AssignedName<'_>) -> bool {
        let before = name.start.checked_sub(1).and_then(|at| self.bytes.get(at));
        let part_of_path = !name.quoted && matches!(before, Some(b':' | b'/' | b'@'));
        !part_of_path && self.keys.judge(keys::last_part(name.text)) != KeyJudgement::Clear
    }

    /// The name that ends before the sign at `sign`.
    fn name_before(&self, sign: usize) -> Option<AssignedName<'a>> {
        let back = |from: usize, what: fn(u8) -> bool| {
            let bytes = &self.bytes[from.saturating_sub(MAX_NAME)..from];
            from - bytes.iter().rev().take_while(|byte| what(**byte)).count()
        };
        let blank = back(sign, |byte| matches!(byte, b' ' | b'\t' | b']'));
        let end = back(blank, |byte| matches!(byte, b'"' | b'\'' | b'`' | b'\\'));
        let start = back(end, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte) || byte >= 0x80);
        let text = self.text.get(start..end)?;
        let name = text.trim_start_matches(['-', '.']);
        let start = end - name.len();
        (!name.is_empty()).then_some(AssignedName {
            text: name,
            start,
            quoted: end < blank,
            spaced: blank < sign,
        })
    }

    /// True if the line has only characters before the name that can start an entry, such as `- ` or `export `.
    fn begins_line(&self, name: &AssignedName<'_>) -> bool {
        let before = self.text.get(self.line..name.start).unwrap_or_default();
        let before = before.trim_start().trim_start_matches("export ").trim_start_matches("set ");
        before.chars().all(|letter| matches!(letter, ' ' | '\t' | '-' | '"' | '\'' | '*' | '#'))
    }

    /// The position after an authentication scheme such as `Bearer `. The scheme is not secret and stays visible.
    fn skip_scheme(&self, at: usize) -> Option<usize> {
        let schemes = ["bearer", "basic", "token", "digest", "negotiate", "apikey"];
        let rest = self.bytes.get(at..)?;
        let length = rest.iter().take(12).position(|byte| *byte == b' ')?;
        let scheme = &rest[..length];
        let known = schemes.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()));
        known.then(|| self.skip_blank(at + length))
    }

    /// Returns `range`, unless its text is only a reference to a secret or a switch such as `true`.
    fn unless_reference(&self, range: Range<usize>) -> Option<Range<usize>> {
        let text = self.text.get(range.clone())?.trim();
        (!text.is_empty() && !value::is_reference(text) && !value::is_switch(text)).then_some(range)
    }
}

fn is_header(name: &str) -> bool {
    ["authorization", "proxy-authorization", "cookie", "set-cookie"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}
