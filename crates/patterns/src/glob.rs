//! Globs with `*`, `?`, `[abc]`, `{a,b}` and `\` to escape a character. A glob matches a whole string and is
//! case-sensitive. Matching takes at most time proportional to text length times pattern length.

mod compile;
mod outline;
pub(crate) mod sample;
mod search;
mod token;

use super::{PatternError, invisible::HOLE};
pub(crate) use outline::{GlobOutline, TextOutline};
pub(crate) use token::GlobToken;

/// A compiled glob.
#[derive(Debug, Clone)]
pub struct Glob {
    text: String,
    /// What all matches have in common, tested first.
    outline: GlobOutline,
    alternatives: Vec<GlobAlternative>,
}

/// One combination of the alternatives in braces. It matches if its tokens match in order.
#[derive(Debug, Clone)]
struct GlobAlternative {
    /// The literal characters at its start.
    prefix: String,
    tokens: Vec<GlobToken>,
    /// The index in `tokens` at which the prefix ends.
    after_prefix: usize,
    /// The literal characters at its end.
    suffix: String,
    /// The longest run of literal characters, which every match contains.
    longest_run: String,
    /// The same for this alternative, tested before its strings.
    outline: GlobOutline,
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
        let lists = compile::compile(text, path)?;
        let outline = GlobOutline::of_alternatives(&lists);
        let alternatives = lists.into_iter().map(GlobAlternative::new).collect();
        Ok(Self { text: text.to_owned(), outline, alternatives })
    }

    /// The glob as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns true if the glob matches the whole `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.is_match_with(text, &TextOutline::of_ends(text))
    }

    /// The same for a string whose outline is known.
    pub(crate) fn is_match_with(&self, text: &str, outline: &TextOutline) -> bool {
        let is_match =
            |alternative: &GlobAlternative| alternative.outline.admit(outline) && alternative.is_match(text);
        self.outline.admit(outline) && self.alternatives.iter().any(is_match)
    }

    /// The tokens of each alternative.
    pub(crate) fn token_lists(&self) -> impl Iterator<Item = &[GlobToken]> {
        self.alternatives.iter().map(|alternative| alternative.tokens.as_slice())
    }

    /// Returns true if the glob matches `text` for some value of each [`HOLE`] in it.
    pub(super) fn could_match(&self, text: &str) -> bool {
        self.could_match_with(text, &TextOutline::of(text), true)
    }

    /// The same for a string whose outline is known. If not `is_open`, the holes are the wildcards of a shell: each value is a part
    /// of a name in a folder, and no name begins with a dot.
    pub(super) fn could_match_with(&self, text: &str, outline: &TextOutline, is_open: bool) -> bool {
        let is_match = |alternative: &GlobAlternative| {
            alternative.outline.admit(outline)
                && alternative.agrees_at_ends(text)
                && if is_open {
                    match_tokens(&alternative.tokens, text, true)
                } else {
                    match_names(&alternative.tokens, text)
                }
        };
        self.outline.admit(outline) && self.alternatives.iter().any(is_match)
    }
}

impl GlobAlternative {
    fn new(tokens: Vec<GlobToken>) -> Self {
        let literal = |token: &GlobToken| if let GlobToken::Char(c) = token { Some(*c) } else { None };
        let prefix: String = tokens.iter().map_while(literal).collect();
        let after_prefix = prefix.chars().count();
        let runs = tokens.split(|token| literal(token).is_none());
        let runs: Vec<String> = runs.map(|run| run.iter().filter_map(literal).collect()).collect();
        let suffix = runs.last().cloned().unwrap_or_default();
        let longest_run = runs.into_iter().max_by_key(String::len).unwrap_or_default();
        let outline = GlobOutline::of_alternatives(std::slice::from_ref(&tokens));
        Self { prefix, tokens, after_prefix, suffix, longest_run, outline }
    }

    fn is_match(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.prefix.as_str()) else { return false };
        match &self.tokens[self.after_prefix..] {
            [] => rest.is_empty(),
            [GlobToken::Any] => true,
            tokens => {
                let before = rest.strip_suffix(self.suffix.as_str());
                let is_only_end = tokens.len() == 1 + self.suffix.chars().count();
                match (before, tokens) {
                    (None, _) => false,
                    (Some(_), [GlobToken::Any, ..]) if is_only_end => true,
                    _ => text.contains(self.longest_run.as_str()) && match_tokens(tokens, rest, false),
                }
            }
        }
    }

    /// Whether what a string with holes shows before the first and after the last one agrees with the literal characters there.
    /// Most texts differ there.
    fn agrees_at_ends(&self, text: &str) -> bool {
        let Some((start, rest)) = text.split_once(HOLE) else {
            return text.starts_with(self.prefix.as_str()) && text.ends_with(self.suffix.as_str());
        };
        let end = rest.rsplit(HOLE).next().unwrap_or(rest);
        (start.starts_with(self.prefix.as_str()) || self.prefix.starts_with(start))
            && (end.ends_with(self.suffix.as_str()) || self.suffix.ends_with(end))
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
