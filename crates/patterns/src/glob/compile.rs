//! From the text of a glob to the ways it can match.

use std::{iter::Peekable, str::Chars};

use super::token::GlobToken;
use crate::{PatternError, unseen::is_unseen};

/// Longer patterns are no patterns any more.
const LONGEST: usize = 1024;
/// Braces multiply: more ways than that are a list, and rules take lists.
const MOST_WAYS: usize = 256;
const DEEPEST: usize = 4;

type GlobAlternatives = Vec<Vec<GlobToken>>;

pub(super) fn ways(text: &str, path: bool) -> Result<GlobAlternatives, PatternError> {
    if text.is_empty() {
        return Err(PatternError::new(text, "is empty and would match nothing: write `*` for everything"));
    }
    if text.chars().count() > LONGEST {
        let short: String = text.chars().take(40).chain("…".chars()).collect();
        return Err(PatternError::new(&short, format!("is longer than {LONGEST} characters: split it")));
    }
    GlobCompiler { text, path, rest: text.chars().peekable() }.sequence(0)
}

/// Rejects characters that an approver could not see in the pattern.
pub(super) fn check_visible(text: &str) -> Result<(), PatternError> {
    if let Some(unseen) = text.chars().find(|c| is_unseen(*c)) {
        let what = format!("holds U+{:04X}, which nobody sees: leave it out", u32::from(unseen));
        return Err(PatternError::new(&text.escape_debug().to_string(), what));
    }
    Ok(())
}

struct GlobCompiler<'a> {
    text: &'a str,
    path: bool,
    rest: Peekable<Chars<'a>>,
}

impl GlobCompiler<'_> {
    /// Up to the end, or, within braces, up to the next `,` or `}`.
    fn sequence(&mut self, depth: usize) -> Result<GlobAlternatives, PatternError> {
        let mut ways: GlobAlternatives = vec![vec![]];
        let mut at_segment = depth == 0;
        while let Some(c) = self.rest.next_if(|c| depth == 0 || !matches!(c, ',' | '}')) {
            let more = match c {
                '{' => self.braces(depth + 1)?,
                '*' => self.star(at_segment),
                '?' if self.path => vec![vec![no_slash()]],
                '?' => vec![vec![GlobToken::Set { negated: true, ranges: vec![] }]],
                '[' => vec![vec![self.set()?]],
                '\\' => vec![vec![GlobToken::Char(self.escaped()?)]],
                '}' => return Err(self.bad("closes a brace that is not open: write `\\}`")),
                c => vec![vec![GlobToken::Char(c)]],
            };
            at_segment = c == '/';
            ways = self.multiply(&ways, &more)?;
        }
        Ok(ways)
    }

    fn multiply(
        &self,
        ways: &GlobAlternatives,
        more: &GlobAlternatives,
    ) -> Result<GlobAlternatives, PatternError> {
        if ways.len() * more.len() > MOST_WAYS {
            return Err(self.bad(&format!("can be read in more than {MOST_WAYS} ways: write several")));
        }
        let joined = |way: &Vec<GlobToken>| {
            let way = way.clone();
            more.iter().map(move |more| way.iter().chain(more).cloned().collect())
        };
        Ok(ways.iter().flat_map(joined).collect())
    }

    fn braces(&mut self, depth: usize) -> Result<GlobAlternatives, PatternError> {
        if depth > DEEPEST {
            return Err(self.bad("nests braces too deep: write several patterns"));
        }
        let mut ways = vec![];
        loop {
            ways.extend(self.sequence(depth)?);
            match self.rest.next() {
                Some(',') => {}
                Some(_) => return Ok(ways),
                None => {
                    return Err(self.bad(
                        "opens a brace and does not close it: write `}`, or `\\{` for the brace itself",
                    ));
                }
            }
        }
    }

    /// One star, or several; in a path two of them cross segments, and `**/` is also nothing at all.
    fn star(&mut self, at_segment: bool) -> GlobAlternatives {
        let mut stars = 1;
        while self.rest.next_if_eq(&'*').is_some() {
            stars += 1;
        }
        if !self.path || stars == 1 {
            return vec![vec![if self.path { GlobToken::Segment } else { GlobToken::Any }]];
        }
        if at_segment && self.rest.next_if_eq(&'/').is_some() {
            return vec![vec![GlobToken::Any, GlobToken::Char('/')], vec![]];
        }
        vec![vec![GlobToken::Any]]
    }

    fn set(&mut self) -> Result<GlobToken, PatternError> {
        let negated = self.rest.next_if(|c| matches!(c, '!' | '^')).is_some();
        let mut ranges = vec![];
        loop {
            let from = match self.rest.next() {
                None => {
                    return Err(self.bad(
                        "opens a set and does not close it: write `]`, or `\\[` for the bracket itself",
                    ));
                }
                Some(']') if ranges.is_empty() => {
                    return Err(self.bad("has an empty set: name its characters, or write `\\[`"));
                }
                Some(']') => break,
                Some('\\') => self.escaped()?,
                Some(c) => c,
            };
            ranges.push((from, self.range_end(from)?));
        }
        if self.path {
            return Ok(within_segment(negated, ranges));
        }
        Ok(GlobToken::Set { negated, ranges })
    }

    /// The other end of `a-z`, or the character itself.
    fn range_end(&mut self, from: char) -> Result<char, PatternError> {
        let mut ahead = self.rest.clone();
        if ahead.next() != Some('-') || matches!(ahead.next(), None | Some(']')) {
            return Ok(from);
        }
        self.rest.next();
        let to = match self.rest.next() {
            Some('\\') => self.escaped()?,
            Some(to) => to,
            None => from,
        };
        if to < from {
            return Err(self.bad(&format!("has the range `{from}-{to}`, which runs backwards")));
        }
        Ok(to)
    }

    fn escaped(&mut self) -> Result<char, PatternError> {
        self.rest.next().ok_or_else(|| self.bad("ends in `\\`: write `\\\\` for the backslash itself"))
    }

    fn bad(&self, what: &str) -> PatternError {
        PatternError::new(self.text, what)
    }
}

fn no_slash() -> GlobToken {
    GlobToken::Set { negated: true, ranges: vec![('/', '/')] }
}

/// In a path no set holds the slash, however it is written.
fn within_segment(negated: bool, mut ranges: Vec<(char, char)>) -> GlobToken {
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
