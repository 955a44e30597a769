//! Finds named values in free text: `name = "literal"`, `name: literal`, `name=literal`, in any language.
//!
//! The text may be code or a command in any quoting, so only values that cannot be either are masked: one word, or a
//! quoted string without operators.

use super::{
    cookies,
    keys::{self as key_names, KeyJudgement, SensitiveKeys},
    literal::{is_literal_byte, is_secret, looks_like_password},
    literal_spans,
    open_quotes::OpenQuotes,
};
use regex::Regex;
use std::{collections::HashMap, ops::Range, sync::LazyLock};

/// A name and the sign after it. A type between them, as in `name: &str =`, belongs to the sign. A tag of YAML may follow
/// that calls no function.
static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?-u)((?:env:)?[A-Za-z_][A-Za-z0-9_.-]{0,127})(\\{0,7}["'])?\]?([ \t]{0,16})(:[ \t]{0,4}[&A-Za-z][A-Za-z0-9_.&<>']{0,30}[ \t]{1,4}=|:{1,3}=|\?=|\+=|=>|={1,3}|:{1,2})([ \t]{0,64})(!(?:vault|unsafe|str|binary|!str|!binary|encrypted)[ \t]{1,8})?"#,
    )
    .expect("a constant pattern")
});

static ELEMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?-u)<([A-Za-z_][A-Za-z0-9_.:-]{0,80})(?: [A-Za-z_:.-]{1,40}="[A-Za-z0-9_.:/# -]{0,80}"){0,4}>([!#%*+,./0-9:=?@A-Z^_a-z~-]{1,256})</"#)
        .expect("a constant pattern")
});

/// A line with a name and its value, as in `.netrc` and `redis.conf`.
static PAIR_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m-u)^[ \t]{0,32}(?:password|passphrase|requirepass|masterauth)[ \t]{1,16}([!#%*+,0-9:=?@A-Z^_a-z~-]{4,256})[ \t\r]{0,8}$",
    )
    .expect("a constant pattern")
});

/// The variables that the text runs as a command: `$TOKEN`, `eval "$TOKEN"`. An equals sign may follow, as in languages
/// whose assignments start with a dollar sign.
static COMMAND_VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m-u)(?:^|[;&|(`]|\b(?:eval|exec|sudo|env|command|source|-c|then|do|else|xargs|time|nohup)\b)[ \t"']{0,16}\$\{?([A-Za-z_][A-Za-z0-9_]{0,127})([ \t]{0,8}[.?]?=)?"#)
        .expect("a constant pattern")
});

/// Adds the spans of all named values that are secret to `spans`.
pub(crate) fn find_assigned_values(keys: &SensitiveKeys, text: &str, spans: &mut Vec<Range<usize>>) {
    let mut quotes = OpenQuotes::default();
    if !text.contains(['=', ':', '<']) && !key_names::may_name_secret(text) {
        return;
    }
    // Most texts have few of these signs, and an expression costs more to build and to search than to rule out.
    let commands = run_variables(text);
    let assigns = text.contains(['=', ':']);
    for found in assigns.then(|| ASSIGNMENT.captures_iter(text)).into_iter().flatten() {
        let (Some(name), Some(sign), Some(blank)) = (found.get(1), found.get(4), found.get(5)) else {
            continue;
        };
        let judged = judge_name(keys, text, &name);
        let is_dollar = text[..name.start()].ends_with('$');
        let runs = commands.get(name.as_str()).is_some_and(|runs_bare| *runs_bare || !is_dollar);
        if judged == KeyJudgement::Clear || runs || matches!(sign.as_str(), "==" | "===" | "::") {
            continue;
        }
        let start = found.get(6).map_or(blank.end(), |tag| tag.end());
        quotes.advance(text.as_bytes(), start);
        let value = AssignedValue {
            text,
            start,
            sign: sign.as_str(),
            blank_before: found.get(3).is_some_and(|blank| !blank.is_empty()),
            blank_after: !blank.is_empty(),
            line_name: begins_line(text, name.start()).then_some(name.as_str()),
            quotes,
        };
        if is_cookie(name.as_str()) {
            cookies::find_cookies(text, value.start, spans);
        } else {
            spans.extend(value.find_secret(judged));
        }
    }
    let has_elements = text.contains("</");
    for found in has_elements.then(|| ELEMENT.captures_iter(text)).into_iter().flatten() {
        let (Some(name), Some(value)) = (found.get(1), found.get(2)) else { continue };
        if is_secret(keys.judge(name.as_str()), value.as_str()) && !value.as_str().starts_with('/') {
            spans.push(value.range());
        }
    }
    let has_pairs = text.contains("pass") || text.contains("masterauth");
    let pairs = has_pairs.then(|| PAIR_LINE.captures_iter(text)).into_iter().flatten();
    let pairs = pairs.filter_map(|found| found.get(1));
    spans.extend(
        pairs.filter(|value| is_secret(KeyJudgement::Short, value.as_str())).map(|value| value.range()),
    );
}

/// The variables that the text runs, and whether one of the places is certainly no assignment.
fn run_variables(text: &str) -> HashMap<&str, bool> {
    let mut names = HashMap::new();
    if text.contains('$') {
        for found in COMMAND_VARIABLE.captures_iter(text) {
            let name = found.get(1).map_or("", |name| name.as_str());
            *names.entry(name).or_insert(false) |= found.get(2).is_none();
        }
    }
    names
}

fn judge_name(keys: &SensitiveKeys, text: &str, name: &regex::Match<'_>) -> KeyJudgement {
    // `${TOKEN:-none}` names a variable and its default.
    if text[..name.start()].ends_with("${") {
        return KeyJudgement::Clear;
    }
    keys.judge(name.as_str().trim_start_matches(['-', '.']))
}

fn is_cookie(name: &str) -> bool {
    name.eq_ignore_ascii_case("cookie") || name.eq_ignore_ascii_case("set-cookie")
}

/// Returns true if the line has only characters before `at` that can start an entry, such as `- ` or `export `.
fn begins_line(text: &str, at: usize) -> bool {
    let near = &text[text.floor_char_boundary(at.saturating_sub(64))..at];
    let line = near.rsplit('\n').next().unwrap_or(near).trim_start();
    let line = line.trim_start_matches("export ").trim_start_matches("set ");
    line.len() < 64
        && line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'"' | b'\'' | b'*' | b'#'))
}

struct AssignedValue<'a> {
    text: &'a str,
    start: usize,
    sign: &'a str,
    blank_before: bool,
    blank_after: bool,
    /// The name, if the line starts with it.
    line_name: Option<&'a str>,
    quotes: OpenQuotes,
}

impl AssignedValue<'_> {
    fn find_secret(&self, judged: KeyJudgement) -> Option<Range<usize>> {
        let range = self.quoted_literal().or_else(|| self.unquoted_literal(judged))?;
        is_secret(judged, self.text.get(range.clone())?).then_some(range)
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(b'\n')
    }

    /// Quoted string content, unless the quote closes an open one.
    fn quoted_literal(&self) -> Option<Range<usize>> {
        let quote = self.byte(self.start);
        if matches!(quote, b'"' | b'\'') && self.quotes.is_open(quote) {
            return None;
        }
        literal_spans::quoted_at(self.text, self.start)
    }

    /// An unquoted value's word, unless it may be an expression.
    fn unquoted_literal(&self, judged: KeyJudgement) -> Option<Range<usize>> {
        // `TOKEN= command` runs the command with an empty variable.
        if self.sign == "=" && self.blank_after && !self.blank_before {
            return None;
        }
        let bytes = &self.text.as_bytes()[self.start..];
        let word = |byte: &u8| is_literal_byte(*byte) && *byte != b',';
        let end = self.start + bytes.iter().take(1024).take_while(|byte| word(byte)).count();
        let value = self.text.get(self.start..end)?.trim_end_matches(['.', ':']);
        let range = self.start..self.start + value.len();
        // A tag of YAML may name a function: `!!python/object/apply:os.system`, `!secret name`.
        let is_tag = value.starts_with('!') && self.sign == ":" && self.byte(end) == b' ';
        if value.starts_with("!!") || is_tag {
            return None;
        }
        let (ending, after) = (self.byte(end), self.byte(end + 1));
        let password = looks_like_password(value);
        match ending {
            b'(' | b'[' | b'{' | b'$' | b'`' | b'<' => return None,
            b'\\' if after == b'"' || after == b'\'' => {}
            b'\\' if !password || !b"nrt\n\\".contains(&after) => return None,
            b'"' | b'\'' if !self.quotes.is_open(ending) && !password => return None,
            _ => {}
        }
        // An all-caps variable, as in Make and shells, never has an expression as its value.
        let is_constant = self.line_name.is_some_and(|name| !name.contains(|c: char| c.is_ascii_lowercase()));
        let in_code = matches!(ending, b')' | b']' | b'}')
            || (ending == b',' && after.is_ascii_whitespace())
            || (ending == b';' && self.blank_before)
            || !(matches!(self.sign, "=" | ":" | "?=" | "::=") || is_constant);
        if is_identifier(value) && (in_code || value.contains('.') || value.contains("::")) {
            return None;
        }
        let spaced = self.blank_before || self.sign == ":";
        let ends_line = matches!(ending, b'\n' | b'\r' | b'"' | b'\'' | b'\\');
        let whole_line = self.sign == ":" && ends_line && (self.line_name.is_some() || ending != b'\n');
        (!spaced || password || whole_line || judged == KeyJudgement::Chosen).then_some(range)
    }
}

/// Returns true for a variable name, also after dots or colons.
fn is_identifier(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(&byte))
        && value.split(['.', ':']).all(|part| !part.starts_with(|first: char| first.is_ascii_digit()))
}
