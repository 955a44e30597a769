//! Strings that a glob matches, as samples.

use super::{Glob, GlobToken};

impl Glob {
    /// A string that the glob matches for each of its alternatives, with `fill` in place of each star, as far as that
    /// matches.
    pub fn samples<'a>(&'a self, fill: &'a str) -> impl Iterator<Item = String> + 'a {
        let samples = self.token_lists().map(move |tokens| sample_of(tokens, fill));
        samples.filter(|sample| self.is_match(sample))
    }
}

/// A string with a value in place of each token. Two stars are one.
pub(crate) fn sample_of(tokens: &[GlobToken], fill: &str) -> String {
    let mut sample = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            GlobToken::Char(c) => sample.push(*c),
            GlobToken::Set { negated: false, ranges } => sample.extend(ranges.first().map(|(from, _)| *from)),
            GlobToken::Set { .. } => sample.extend("x0-".chars().find(|c| token.matches(*c))),
            GlobToken::Any | GlobToken::Segment if at > 0 && tokens[at - 1].repeats() => {}
            GlobToken::Any | GlobToken::Segment => sample.push_str(fill),
        }
    }
    sample
}
