//! Command lines that a pattern may match, as samples: a question about a policy tries them.

use super::{allow_pattern::split_words, pattern::CommandPattern, programs::ProgramTable};
use crate::glob::{Glob, GlobToken, sample::sample_of};

/// The word in place of a wildcard whose value does not matter.
const OTHER: &str = "x";

/// The names of all programs that the program table lists.
#[must_use]
pub fn program_names() -> Vec<&'static str> {
    ProgramTable::shared().names()
}

/// A word of a sample.
enum SampleWord {
    /// A word that the pattern spells out, or that has no other sample.
    Fixed(String),
    /// A word that may be any other.
    One,
    /// A place for several words.
    Several,
}

impl CommandPattern {
    /// Command lines with `word` in place of wildcards. `word` is written as a shell reads it, and `value` is its value. Not
    /// every line is one that the pattern matches.
    pub fn samples(&self, word: &str, value: &str) -> impl Iterator<Item = String> {
        let glob = Glob::new(self.as_str()).ok();
        let lists: Vec<Vec<GlobToken>> =
            glob.iter().flat_map(Glob::token_lists).map(<[GlobToken]>::to_vec).collect();
        lists.into_iter().flat_map(move |tokens| lines_of(&tokens, word, value))
    }
}

/// The lines of one alternative.
fn lines_of(tokens: &[GlobToken], word: &str, value: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut words: Vec<_> = split_words(tokens).map(|tokens| SampleWord::read(tokens, word, value)).collect();
    add_lines(&words, word, &mut lines);
    // `ls*` also matches what `ls **` does.
    if let Some(stem) = split_words(tokens).last().and_then(read_stem) {
        words.pop();
        words.extend([SampleWord::Fixed(stem), SampleWord::Several]);
        add_lines(&words, word, &mut lines);
    }
    lines
}

/// The name before a star that ends a word.
fn read_stem(tokens: &[GlobToken]) -> Option<String> {
    let (last, before) = tokens.split_last()?;
    let stem = sample_of(before, "");
    let is_name = !stem.is_empty() && stem.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    (*last == GlobToken::Any && is_name).then_some(stem)
}

impl SampleWord {
    fn read(tokens: &[GlobToken], word: &str, value: &str) -> Self {
        match tokens {
            [GlobToken::Any] => return Self::One,
            [GlobToken::Any, GlobToken::Any] => return Self::Several,
            _ => {}
        }
        let is_open = tokens.iter().any(|token| !matches!(token, GlobToken::Char(_)));
        if !is_open {
            return Self::Fixed(quote(&sample_of(tokens, "")));
        }
        if crate::glob::match_tokens(tokens, value, false) {
            return Self::Fixed(word.to_owned());
        }
        let begin = sample_of(&tokens[..tokens.len() - 1], OTHER);
        let takes_value = tokens.last().is_some_and(GlobToken::repeats) && begin.ends_with(['=', ':', '@']);
        Self::Fixed(if takes_value { begin + word } else { quote(&sample_of(tokens, OTHER)) })
    }
}

/// Adds the lines in which the word stands at one of the open places, or at all of them.
fn add_lines(words: &[SampleWord], word: &str, lines: &mut Vec<String>) {
    let open = words.iter().filter(|word| !matches!(word, SampleWord::Fixed(_))).count();
    let line = |chosen: &dyn Fn(usize) -> bool, around: (&str, &str)| {
        let mut at = 0;
        let shown = words.iter().map(|sample| {
            let is_chosen = chosen(at);
            match sample {
                SampleWord::Fixed(text) => return text.clone(),
                _ if !is_chosen => at += 1,
                SampleWord::One => at += 1,
                SampleWord::Several => {
                    at += 1;
                    return format!("{}{word}{}", around.0, around.1);
                }
            }
            if is_chosen { word.to_owned() } else { OTHER.to_owned() }
        });
        shown.collect::<Vec<_>>().join(" ")
    };
    let mut add = |line: String| {
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    let has_word = words.iter().any(|sample| matches!(sample, SampleWord::Fixed(text) if text == word));
    if has_word && open > 0 {
        add(line(&|_| false, ("", "")));
    }
    add(line(&|_| true, ("", "")));
    if open > 1 {
        add(line(&|at| at + 1 == open, ("", "")));
        add(line(&|at| at == 0, ("", "")));
    }
    if words.iter().any(|word| matches!(word, SampleWord::Several)) {
        add(line(&|at| at + 1 == open, ("x ", "")));
        add(line(&|at| at + 1 == open, ("", " x")));
    }
}

/// The word as a shell reads it. A pattern may show quotes itself.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%~'".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) || word.contains('\'') {
        word.to_owned()
    } else {
        format!("'{word}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_put_the_word_at_open_places() {
        let samples = |pattern: &str| {
            CommandPattern::new(pattern).expect("a pattern").samples("a/b.sh", "a/b.sh").collect::<Vec<_>>()
        };
        assert_eq!(samples("git status"), ["git status"]);
        assert_eq!(samples("{cat,tac} *"), ["cat a/b.sh", "tac a/b.sh"]);
        assert_eq!(samples("sh *.sh"), ["sh a/b.sh"]);
        assert_eq!(samples("dd if=*"), ["dd if=a/b.sh"]);
        assert_eq!(samples("cp * a/*"), ["cp x a/b.sh", "cp a/b.sh a/b.sh"]);
        assert_eq!(samples("grep **"), ["grep a/b.sh", "grep x a/b.sh", "grep a/b.sh x"]);
        assert_eq!(samples("cp * *"), ["cp a/b.sh a/b.sh", "cp x a/b.sh", "cp a/b.sh x"]);
        assert_eq!(samples("ls*"), ["lsx", "ls a/b.sh", "ls x a/b.sh", "ls a/b.sh x"]);
    }

    #[test]
    fn samples_of_globs_match() {
        let samples = |glob: &str| Glob::name(glob).expect("a glob").samples("read").collect::<Vec<_>>();
        assert_eq!(samples("mcp__{a,b}__*"), ["mcp__a__read", "mcp__b__read"]);
        assert_eq!(samples("[!a-x]?*"), ["0xread"]);
        assert_eq!(samples("**"), ["read"]);
    }

    #[test]
    fn program_names_are_those_of_the_table() {
        let names = program_names();
        assert!(["cat", "rm", "git"].iter().all(|name| names.contains(name)), "{names:?}");
    }
}
