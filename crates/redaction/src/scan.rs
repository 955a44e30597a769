//! One pass over a free text for names with values: assignments, header lines, parameters of URLs and
//! options of commands.

use super::{
    keys::{self, KeyJudgement, SensitiveKeys, is_count},
    program::{self, NamedProgram},
    value::{self, OpenQuotes, ShellOperators},
};
use std::ops::Range;

/// How far before a sign its name may begin, in bytes.
const MAX_NAME: usize = 256;

pub(super) struct TextScan<'a> {
    keys: &'a SensitiveKeys,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Where the line begins.
    line: usize,
    open: OpenQuotes,
    /// The program that was last named in this command.
    program: Option<NamedProgram>,
    spans: Vec<Range<usize>>,
}

/// A name before a sign.
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

    /// Where the secrets stand, in the order of the text.
    pub(super) fn run(mut self) -> Vec<Range<usize>> {
        while let Some(byte) = self.bytes.get(self.at) {
            let found = match byte {
                b'=' | b':' => self.assigned(),
                b'>' => self.element(),
                b'-' if self.begins_word() => self.option(),
                b'/' | b'.' | b'0'..=b'9' | b'a'..=b'z' if self.begins_word() => {
                    self.program = NamedProgram::of(self.word_here()).or(self.program);
                    None
                }
                _ => None,
            };
            match found.filter(|range| !range.is_empty()) {
                Some(range) => {
                    self.at = self.goes_on(&range);
                    self.spans.push(range);
                }
                None => self.step(),
            }
        }
        self.spans
    }

    /// Where to go on after a value. One of several lines may have ended in a quote with which another begins,
    /// since nobody closed its own: so all of its lines but the first are read as if they were none of it.
    fn goes_on(&self, value: &Range<usize>) -> usize {
        let before = self.text[..value.start].trim_end_matches([' ', '\t']);
        // A block below its name ends where it is indented less.
        let first_line = self.text[value.clone()].find('\n').filter(|_| !before.ends_with('\n'));
        first_line.map_or(value.end, |length| value.start + length)
    }

    /// Goes on by a byte and keeps count of lines, quotes and commands.
    fn step(&mut self) {
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

    /// Whether the quote just passed stands inside of a word.
    fn is_apostrophe(&self) -> bool {
        let letter =
            |at: Option<usize>| at.and_then(|at| self.bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
        letter(self.at.checked_sub(2)) && letter(Some(self.at))
    }

    fn begins_word(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        before.is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'`(;|&[{,".contains(byte))
    }

    fn word_here(&self) -> &'a str {
        let ends = |c: char| {
            c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | ';' | '|' | '&' | '=' | ',')
        };
        let rest = &self.text[self.at..];
        let rest = &rest[..rest.floor_char_boundary(MAX_NAME)];
        &rest[..rest.find(ends).unwrap_or(rest.len())]
    }

    /// The value of the option that begins here, if it is a secret.
    fn option(&self) -> Option<Range<usize>> {
        let flag = self.word_here();
        let end = self.at + flag.len();
        // `-p'a b'` begins as `-p` does.
        let quote = usize::from(matches!(self.bytes.get(end), Some(b'"' | b'\'')));
        let with_quote = self.text.get(self.at..end + quote).unwrap_or(flag);
        if let Some(joined) = self.program.and_then(|program| program.joined(with_quote)) {
            let word = value::word(self.text, self.at + joined, self.open);
            return self.unless_reference(word);
        }
        // An option in quotes of its own is one word of a list of them.
        let start = self.skip_blank(end);
        if start == end || flag.len() < 2 {
            return None;
        }
        let word = self.word(start);
        let secret = program::after(self.keys, self.program, flag, self.text.get(word.clone())?);
        if secret { self.unless_reference(word) } else { None }
    }

    /// The next place that is not blank in the same command.
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
    fn element(&self) -> Option<Range<usize>> {
        let name = self.name(self.at)?;
        let tag = name.start.checked_sub(1).and_then(|at| self.bytes.get(at)) == Some(&b'<');
        if !tag || name.spaced || self.keys.judge(name.text) != KeyJudgement::Secret {
            return None;
        }
        let start = self.at + 1;
        let length = self.text[start..].find('<')?;
        Some(start..start + self.text[start..start + length].trim_end().len())
    }

    /// The value after the sign here, if its name says that it is a secret.
    fn assigned(&self) -> Option<Range<usize>> {
        let colon = self.bytes[self.at] == b':';
        let next = self.bytes.get(self.at + 1).copied().unwrap_or(0);
        if colon && (next == b':' || self.text[self.at..].starts_with("://")) {
            return None;
        }
        let name = self.name(self.at)?;
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
            return if below { value::block(self.text, start, name.start - self.line) } else { None };
        }
        let range = self.value(&name, colon, start, spaced)?;
        let text = self.text.get(range.clone())?;
        let counts = judged == KeyJudgement::Count && is_count(text);
        if counts { None } else { self.unless_reference(range) }
    }

    fn judge(&self, name: &AssignedName<'_>) -> KeyJudgement {
        let before = name.start.checked_sub(1).and_then(|at| self.bytes.get(at));
        if matches!(before, Some(b'?' | b'&')) && keys::signs(name.text) {
            return KeyJudgement::Secret;
        }
        // What a default is given to is only named: `${TOKEN:-none}`.
        if before == Some(&b'{') && self.text[..name.start].ends_with("${") {
            return KeyJudgement::Clear;
        }
        self.keys.judge(name.text)
    }

    fn value(
        &self,
        name: &AssignedName<'_>,
        colon: bool,
        start: usize,
        spaced: bool,
    ) -> Option<Range<usize>> {
        if let Some(quoted) = value::quoted(self.text, start, self.open) {
            let in_shell = !name.quoted && !spaced;
            return Some(if in_shell { self.word(start) } else { self.inner(quoted.inner) });
        }
        let scheme = self.skip_scheme(start);
        let header = scheme.is_some() || is_header(name.text);
        let start = scheme.unwrap_or(start);
        if colon && !spaced && !header && !self.may_be_tight(name) {
            return None;
        }
        let at_start = self.begins_line(name);
        let in_word = scheme.is_none() && !at_start && !self.open.any();
        if !spaced && (!header || in_word) {
            return Some(value::word(self.text, start, self.open));
        }
        let operators = match (header, at_start || self.open.any()) {
            (true, true) => ShellOperators::Plain,
            (false, true) => ShellOperators::Spaced,
            _ => ShellOperators::End,
        };
        // `auth: Fix it` is a sentence, and `TOKEN= command` gives the command an empty variable.
        let no_name = !colon && !name.spaced;
        let one_word = scheme.is_none() && (keys::is_weak(name.text) || no_name);
        if one_word && !((at_start || !no_name) && self.is_last_word(start, operators)) {
            return None;
        }
        Some(value::rest(self.text, start, self.open, operators))
    }

    /// Whether no other word comes after the one at `at`. It looks no further, so that a line of
    /// nothing but names is not read once for each.
    fn is_last_word(&self, at: usize, operators: ShellOperators) -> bool {
        let length = self.bytes[at..].iter().position(u8::is_ascii_whitespace);
        let next = length.map_or(self.bytes.len(), |length| self.skip_blank(at + length));
        next >= self.bytes.len() || value::ends_rest(self.bytes, next, self.open, operators)
    }

    /// The word of a shell at `at`, without the scheme it begins with if it is in quotes.
    fn word(&self, at: usize) -> Range<usize> {
        self.inner(value::word(self.text, at, self.open))
    }

    fn inner(&self, range: Range<usize>) -> Range<usize> {
        let start = self.skip_scheme(range.start).filter(|start| *start < range.end);
        start.unwrap_or(range.start)..range.end
    }

    /// Whether a colon without a space gives that name a value: `token:abc` does, `auth-service:8080`
    /// and `secret:name` in the name of a resource do not.
    fn may_be_tight(&self, name: &AssignedName<'_>) -> bool {
        let before = name.start.checked_sub(1).and_then(|at| self.bytes.get(at));
        let part_of_path = !name.quoted && matches!(before, Some(b':' | b'/' | b'@'));
        !part_of_path && self.keys.judge(keys::last_part(name.text)) != KeyJudgement::Clear
    }

    /// The name that ends before the sign at `sign`.
    fn name(&self, sign: usize) -> Option<AssignedName<'a>> {
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

    /// Whether nothing comes before the name in its line but what may begin an entry.
    fn begins_line(&self, name: &AssignedName<'_>) -> bool {
        let before = self.text.get(self.line..name.start).unwrap_or_default();
        let before = before.trim_start().trim_start_matches("export ").trim_start_matches("set ");
        before.chars().all(|letter| matches!(letter, ' ' | '\t' | '-' | '"' | '\'' | '*' | '#'))
    }

    /// Behind the scheme of a header's credentials: `Bearer `, which everybody may see.
    fn skip_scheme(&self, at: usize) -> Option<usize> {
        let schemes = ["bearer", "basic", "token", "digest", "negotiate", "apikey"];
        let rest = self.bytes.get(at..)?;
        let length = rest.iter().take(12).position(|byte| *byte == b' ')?;
        let scheme = &rest[..length];
        let known = schemes.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()));
        known.then(|| self.skip_blank(at + length))
    }

    /// The range, unless what stands there is no secret itself.
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
