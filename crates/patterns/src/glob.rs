//! A glob over a whole string: `*`, `?`, `[abc]`, `{a,b}` and `\` before a character that means itself.
//! Case-sensitive, and its time grows with text times pattern, whatever both look like.

mod compile;
mod token;

use super::{PatternError, unseen::HOLE};
use token::GlobToken;

/// A glob, compiled.
#[derive(Debug, Clone)]
pub struct Glob {
    text: String,
    ways: Vec<GlobAlternative>,
}

/// One of the ways to read the braces: it matches if all of its tokens do, in order.
#[derive(Debug, Clone)]
struct GlobAlternative {
    /// The characters it begins with: most texts fail here, without further ado.
    prefix: String,
    tokens: Vec<GlobToken>,
    /// Where in `tokens` the prefix ends.
    after_prefix: usize,
}

impl Glob {
    /// A glob over a plain string: `*` and `?` match every character, `/` among them.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        compile::check_visible(text)?;
        Self::compile(text, false)
    }

    /// A glob over a name, such as a tool's. It works as [`Self::new`] does, but may contain invisible characters: a
    /// tool's name may contain them, and a rule must be able to name every tool.
    pub fn name(text: &str) -> Result<Self, PatternError> {
        Self::compile(text, false)
    }

    /// A glob over a path: `*`, `?` and sets stay within a segment, `**` crosses, and `**/` is also no
    /// segment at all.
    pub fn path(text: &str) -> Result<Self, PatternError> {
        compile::check_visible(text)?;
        Self::compile(text, true)
    }

    fn compile(text: &str, path: bool) -> Result<Self, PatternError> {
        let ways = compile::ways(text, path)?.into_iter().map(GlobAlternative::new).collect();
        Ok(Self { text: text.to_owned(), ways })
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it matches the whole of `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.ways.iter().any(|way| way.is_match(text))
    }

    /// Whether it matches `text`, and begins with `name` in as many letters.
    pub(super) fn is_match_naming(&self, name: &str, text: &str) -> bool {
        self.ways.iter().any(|way| way.names(name) && way.is_match(text))
    }

    /// Whether it could match `text` if whatever the shell likes stood in its holes.
    pub(super) fn could_match(&self, text: &str) -> bool {
        self.ways.iter().any(|way| run(&way.tokens, text, true))
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
            tokens => run(tokens, rest, false),
        }
    }

    fn names(&self, name: &str) -> bool {
        let Some(rest) = self.prefix.strip_prefix(name) else { return false };
        // One letter and a star is no name: `.*` begins with a dot and does not speak of the command `.`.
        let starred = || name.len() > 1 && self.tokens.get(self.after_prefix) == Some(&GlobToken::Any);
        rest.starts_with(' ') || rest.is_empty() && (self.tokens.len() == self.after_prefix || starred())
    }
}

/// Runs all readings of the tokens side by side, so that no text makes it go back.
fn run(tokens: &[GlobToken], text: &str, holes: bool) -> bool {
    let mut now = vec![false; tokens.len() + 1];
    let mut next = now.clone();
    now[0] = true;
    skip_repeats(tokens, &mut now);
    for c in text.chars() {
        next.fill(false);
        if holes && c == HOLE {
            // Whatever stands here can take the pattern as far as it likes.
            let reached = now.iter().position(|on| *on).unwrap_or(now.len());
            next[reached..].fill(true);
        } else {
            for (at, token) in tokens.iter().enumerate() {
                if now[at] && token.takes(c) {
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

/// A token that repeats may also match nothing.
fn skip_repeats(tokens: &[GlobToken], on: &mut [bool]) {
    for (at, token) in tokens.iter().enumerate() {
        if on[at] && token.repeats() {
            on[at + 1] = true;
        }
    }
}

#[cfg(test)]
mod tests;
