//! Compiles a glob to its alternatives.

use std::{iter::Peekable, str::Chars};

use super::token::GlobToken;
use crate::{PatternError, invisible::is_invisible};

/// The maximum length of a pattern, in characters.
const MAX_PATTERN_CHARS: usize = 1024;
/// The maximum number of alternatives. Braces multiply them; a rule can list several patterns instead.
const MAX_ALTERNATIVES: usize = 256;
/// The maximum number of tokens in all alternatives together.
const MAX_TOKENS: usize = 4 * 1024;
/// The maximum nesting depth of braces.
const MAX_BRACE_DEPTH: usize = 4;

type GlobAlternatives = Vec<Vec<GlobToken>>;

/// Compiles `text` to its alternatives. `path` makes `*`, `?` and sets stop at `/`.
pub(super) fn compile(text: &str, path: bool) -> Result<GlobAlternatives, PatternError> {
    if text.is_empty() {
        return Err(PatternError::new(text, "is empty and would match nothing: write `*` for everything"));
    }
    if text.chars().count() > MAX_PATTERN_CHARS {
        let short: String = text.chars().take(40).chain("…".chars()).collect();
        return Err(PatternError::new(
            &short,
            format!("is longer than {MAX_PATTERN_CHARS} characters: split it"),
        ));
    }
    GlobCompiler { text, path, rest: text.chars().peekable() }.parse_sequence(0)
}

/// Rejects characters that an approver could not see in the pattern.
pub(super) fn check_visible(text: &str) -> Result<(), PatternError> {
    if let Some(invisible) = text.chars().find(|c| is_invisible(*c)) {
        let fault = format!("contains the invisible character U+{:04X}: remove it", u32::from(invisible));
        return Err(PatternError::new(&text.escape_debug().to_string(), fault));
    }
    Ok(())
}

struct GlobCompiler<'a> {
    text: &'a str,
    path: bool,
    rest: Peekable<Chars<'a>>,
}

impl GlobCompiler<'_> {
    /// Parses up to the end, or within braces up to the next `,` or `}`.
    fn parse_sequence(&mut self, depth: usize) -> Result<GlobAlternatives, PatternError> {
        let mut alternatives: GlobAlternatives = vec![vec![]];
        let mut at_segment = depth == 0;
        while let Some(c) = self.rest.next_if(|c| depth == 0 || !matches!(c, ',' | '}')) {
            let was_at_segment = std::mem::replace(&mut at_segment, c == '/');
            let token = match c {
                '{' => {
                    let more = self.parse_braces(depth + 1)?;
                    alternatives = self.append_each(alternatives, &more)?;
                    continue;
                }
                '*' => {
                    let more = self.parse_stars(was_at_segment);
                    alternatives = self.append_each(alternatives, &more)?;
                    continue;
                }
                '?' if self.path => any_but_slash(),
                '?' => GlobToken::Set { negated: true, ranges: vec![] },
                '[' => self.parse_set()?,
                '\\' => GlobToken::Char(self.parse_escape()?),
                '}' => return Err(self.error("closes a brace that is not open: write `\\}`")),
                c => GlobToken::Char(c),
            };
            self.append_token(&mut alternatives, &token)?;
        }
        Ok(alternatives)
    }

    /// Appends one token to each alternative. Most of a pattern is one character after the other.
    fn append_token(
        &self,
        alternatives: &mut GlobAlternatives,
        token: &GlobToken,
    ) -> Result<(), PatternError> {
        if count_tokens(alternatives) + alternatives.len() > MAX_TOKENS {
            return Err(self.too_many_tokens());
        }
        for start in alternatives {
            start.push(token.clone());
        }
        Ok(())
    }

    fn append_each(
        &self,
        mut alternatives: GlobAlternatives,
        more: &GlobAlternatives,
    ) -> Result<GlobAlternatives, PatternError> {
        if alternatives.len() * more.len() > MAX_ALTERNATIVES {
            return Err(self.error(&format!(
                "has more than {MAX_ALTERNATIVES} alternatives: split it into several patterns"
            )));
        }
        if count_tokens(&alternatives) * more.len() + count_tokens(more) * alternatives.len() > MAX_TOKENS {
            return Err(self.too_many_tokens());
        }
        if let [only] = more.as_slice() {
            for start in &mut alternatives {
                start.extend_from_slice(only);
            }
            return Ok(alternatives);
        }
        let joined =
            |start: &Vec<GlobToken>| more.iter().map(|more| [start.as_slice(), more].concat()).collect();
        Ok(alternatives.iter().flat_map::<GlobAlternatives, _>(joined).collect())
    }

    fn parse_braces(&mut self, depth: usize) -> Result<GlobAlternatives, PatternError> {
        if depth > MAX_BRACE_DEPTH {
            return Err(self.error("nests braces too deep: split it into several patterns"));
        }
        let mut alternatives = vec![];
        loop {
            alternatives.extend(self.parse_sequence(depth)?);
            match self.rest.next() {
                Some(',') => {}
                Some(_) => return Ok(alternatives),
                None => {
                    return Err(self.error(
                        "opens a brace and does not close it: write `}`, or `\\{` for the brace itself",
                    ));
                }
            }
        }
    }

    /// Parses one star or several. In a path, two stars match across segments, and `**/` also matches nothing.
    fn parse_stars(&mut self, at_segment: bool) -> GlobAlternatives {
        let mut stars = 1;
        while self.rest.next_if_eq(&'*').is_some() {
            stars += 1;
        }
        if !self.path {
            // Two stars match what one does. A pattern over words distinguishes them.
            return vec![vec![GlobToken::Any; stars.min(2)]];
        }
        if stars == 1 {
            return vec![vec![GlobToken::Segment]];
        }
        if at_segment && self.rest.next_if_eq(&'/').is_some() {
            return vec![vec![GlobToken::Any, GlobToken::Char('/')], vec![]];
        }
        vec![vec![GlobToken::Any]]
    }

    fn parse_set(&mut self) -> Result<GlobToken, PatternError> {
        let negated = self.rest.next_if(|c| matches!(c, '!' | '^')).is_some();
        let mut ranges = vec![];
        loop {
            let from = match self.rest.next() {
                None => {
                    return Err(self.error(
                        "opens a set and does not close it: write `]`, or `\\[` for the bracket itself",
                    ));
                }
                Some(']') if ranges.is_empty() => {
                    return Err(self.error("has an empty set: name its characters, or write `\\[`"));
                }
                Some(']') => break,
                Some('\\') => self.parse_escape()?,
                Some(c) => c,
            };
            ranges.push((from, self.parse_range_end(from)?));
        }
        if self.path {
            return Ok(set_without_slash(negated, ranges));
        }
        Ok(GlobToken::Set { negated, ranges })
    }

    /// Parses the end of a character range such as `a-z`; returns `from` if there is no range.
    fn parse_range_end(&mut self, from: char) -> Result<char, PatternError> {
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('-') || matches!(ahead.next(), None | Some(']')) {
            return Ok(from);
        }
        self.rest.next();
        let to = match self.rest.next() {
            Some('\\') => self.parse_escape()?,
            Some(to) => to,
            None => from,
        };
        if to < from {
            return Err(self.error(&format!(
                "has the range `{from}-{to}`, whose end is before its start: swap the two"
            )));
        }
        Ok(to)
    }

    fn parse_escape(&mut self) -> Result<char, PatternError> {
        self.rest.next().ok_or_else(|| self.error("ends in `\\`: write `\\\\` for the backslash itself"))
    }

    fn too_many_tokens(&self) -> PatternError {
        self.error(&format!(
            "has more than {MAX_TOKENS} characters in its alternatives: split it into several patterns"
        ))
    }

    fn error(&self, fault: &str) -> PatternError {
        PatternError::new(self.text, fault)
    }
}

fn count_tokens(alternatives: &GlobAlternatives) -> usize {
    alternatives.iter().map(Vec::len).sum()
}

fn any_but_slash() -> GlobToken {
    GlobToken::Set { negated: true, ranges: vec![('/', '/')] }
}

/// Removes `/` from a set in a path pattern, also from a range that spans it.
fn set_without_slash(negated: bool, mut ranges: Vec<(char, char)>) -> GlobToken {
    if negated {
        ranges.push(('/', '/'));
        return GlobToken::Set { negated, ranges };
    }
    let around = |(from, to): (char, char)| {
        let below = (from, to.min('.'));
        let above = (from.max('0'), to);
        [below, above].into_iter().filter(|(from, to)| from <= to)
    };
    GlobToken::Set { negated, ranges: ranges.into_iter().flat_map(around).collect() }
}
