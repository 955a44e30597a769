//! Globs with `*`, `?`, `[abc]`, `{a,b}` and `\` to escape a character. A glob matches a whole string and is
//! case-sensitive. Matching takes at most time proportional to text length times pattern length.

mod compile;
mod search;
mod token;

use super::{PatternError, invisible::HOLE};
pub(crate) use token::GlobToken;

/// A compiled glob.
#[derive(Debug, Clone)]
pub struct Glob {
    text: String,
    alternatives: Vec<GlobAlternative>,
}

/// One combination of the alternatives in braces. It matches if its tokens match in order.
#[derive(Debug, Clone)]
struct GlobAlternative {
    /// The literal characters at its start, compared first because most strings differ there.
    prefix: String,
    tokens: Vec<GlobToken>,
    /// The index in `tokens` at which the prefix ends.
    after_prefix: usize,
}

impl Glob {
    /// A glob over a plain string: `*` and `?` match every character, including `/`.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        compile::check_visible(text)?;
        Self::compile(text, false)
    }

    /// A glob over a name, such as a tool name. It works like [`Self::new`], but may contain invisible characters: a
    /// tool name may contain them, and a rule must be able to name every tool.
    pub fn name(text: &str) -> Result<Self, PatternError> {
        Self::compile(text, false)
    }

    /// A glob over a path: `*`, `?` and sets match within a segment, `**` matches across segments, and `**/` also
    /// matches no segment.
    pub fn path(text: &str) -> Result<Self, PatternError> {
        compile::check_visible(text)?;
        Self::compile(text, true)
    }

    fn compile(text: &str, path: bool) -> Result<Self, PatternError> {
        let alternatives = compile::compile(text, path)?.into_iter().map(GlobAlternative::new).collect();
        Ok(Self { text: text.to_owned(), alternatives })
    }

    /// The glob as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns true if the glob matches the whole `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.alternatives.iter().any(|alternative| alternative.is_match(text))
    }

    /// The tokens of each alternative.
    pub(crate) fn token_lists(&self) -> impl Iterator<Item = &[GlobToken]> {
        self.alternatives.iter().map(|alternative| alternative.tokens.as_slice())
    }

    /// Returns true if the glob matches `text` for some value of each [`HOLE`] in it.
    pub(super) fn could_match(&self, text: &str) -> bool {
        self.alternatives.iter().any(|alternative| match_tokens(&alternative.tokens, text, true))
    }

    /// Like [`Self::could_match`], for holes that are the wildcards of a shell: each value is a part of a name in a folder,
    /// and no name begins with a dot.
    pub(super) fn could_match_names(&self, text: &str) -> bool {
        self.alternatives.iter().any(|alternative| match_names(&alternative.tokens, text))
    }
}

impl GlobAlternative {
    fn new(tokens: Vec<GlobToken>) -> Self {
        let literal = |token: &GlobToken| if let GlobToken::Char(c) = token { Some(*c) } else { None };
        let prefix: String = tokens.iter().map_while(literal).collect();
        let after_prefix = prefix.chars().count();
        Self { prefix, tokens, after_prefix }
    }

    fn is_match(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.prefix.as_str()) else { return false };
        match &self.tokens[self.after_prefix..] {
            [] => rest.is_empty(),
            [GlobToken::Any] => true,
            tokens => match_tokens(tokens, rest, false),
        }
    }
}

/// Simulates all states of the automaton at once. Without backtracking, no input takes exponential time.
pub(crate) fn match_tokens(tokens: &[GlobToken], text: &str, holes: bool) -> bool {
    let mut now = vec![false; tokens.len() + 1];
    let mut next = now.clone();
    now[0] = true;
    skip_repeats(tokens, &mut now);
    for c in text.chars() {
        next.fill(false);
        if holes && c == HOLE {
            // An unknown value can advance the pattern by any number of tokens.
            let reached = now.iter().position(|on| *on).unwrap_or(now.len());
            next[reached..].fill(true);
        } else {
            for (at, token) in tokens.iter().enumerate() {
                if now[at] && token.matches(c) {
                    next[if token.repeats() { at } else { at + 1 }] = true;
                }
            }
            skip_repeats(tokens, &mut next);
        }
        std::mem::swap(&mut now, &mut next);
        if !now.contains(&true) {
            return false;
        }
    }
    now[tokens.len()]
}

/// Like [`match_tokens`], where a hole is a part of a name.
fn match_names(tokens: &[GlobToken], text: &str) -> bool {
    let mut now = vec![false; tokens.len() + 1];
    now[0] = true;
    skip_repeats(tokens, &mut now);
    let mut is_start = true;
    for c in text.chars() {
        let next = if c == HOLE {
            skip_name(tokens, &now, is_start)
        } else {
            let mut next = vec![false; now.len()];
            for (at, token) in tokens.iter().enumerate() {
                if now[at] && token.matches(c) {
                    next[if token.repeats() { at } else { at + 1 }] = true;
                }
            }
            next
        };
        now = next;
        skip_repeats(tokens, &mut now);
        is_start = c == '/';
    }
    now[tokens.len()]
}

/// The states after any part of a name, which at its start does not begin with a dot.
fn skip_name(tokens: &[GlobToken], now: &[bool], is_start: bool) -> Vec<bool> {
    let in_name = |token: &GlobToken| *token != GlobToken::Char('/');
    let begins_name = |token: &GlobToken| in_name(token) && !(is_start && *token == GlobToken::Char('.'));
    let mut after = vec![false; now.len()];
    for (at, token) in tokens.iter().enumerate() {
        if now[at] && begins_name(token) {
            after[at] |= token.repeats();
            after[at + 1] = true;
        }
    }
    for (at, token) in tokens.iter().enumerate() {
        if after[at] && in_name(token) {
            after[at + 1] = true;
        }
    }
    now.iter().zip(after).map(|(before, after)| *before || after).collect()
}

/// Also activates the state after each repeating token, because such a token can match nothing.
fn skip_repeats(tokens: &[GlobToken], on: &mut [bool]) {
    for (at, token) in tokens.iter().enumerate() {
        if on[at] && token.repeats() {
            on[at + 1] = true;
        }
    }
}

#[cfg(test)]
mod tests;
