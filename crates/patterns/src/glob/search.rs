//! Searches for a glob in the words of a string.

use super::{Glob, skip_repeats, token::GlobToken};
use crate::invisible::HOLE;

impl Glob {
    /// Returns true if the glob matches words of `text` that follow each other, for some value of each [`HOLE`] after
    /// their start. Takes one pass over the text.
    pub(crate) fn is_found_in(&self, text: &str) -> bool {
        let has_hole = text.contains(HOLE);
        self.alternatives.iter().any(|alternative| {
            (has_hole || text.contains(alternative.longest_run.as_str()))
                && is_found(&alternative.tokens, text)
        })
    }
}

fn step(tokens: &[GlobToken], now: &[bool], next: &mut [bool], c: char) {
    next.fill(false);
    for (at, token) in tokens.iter().enumerate() {
        if now[at] && token.matches(c) {
            next[if token.repeats() { at } else { at + 1 }] = true;
        }
    }
    skip_repeats(tokens, next);
}

/// Runs the automaton from every start of a word at once.
fn is_found(tokens: &[GlobToken], text: &str) -> bool {
    let mut now = vec![false; tokens.len() + 1];
    let mut next = now.clone();
    let mut before = ['\0', ' '];
    for c in text.chars() {
        if ends_word(c) && now[tokens.len()] {
            return true;
        }
        if starts_word(before) {
            now[0] = true;
            skip_repeats(tokens, &mut now);
        }
        if c == HOLE {
            // An expansion at the start of a word reveals nothing about the pattern.
            now[0] &= !starts_word(before);
            let reached = now.iter().position(|on| *on).unwrap_or(now.len());
            next.fill(false);
            next[reached..].fill(true);
        } else {
            step(tokens, &now, &mut next, c);
        }
        std::mem::swap(&mut now, &mut next);
        before = [before[1], c];
    }
    now[tokens.len()]
}

/// Returns true if a command may start after these two characters.
fn starts_word([second_last, last]: [char; 2]) -> bool {
    " \t\n'\"=/;|&()<>`{}$,:!\\".contains(last) || last.is_ascii_alphabetic() && second_last == '-'
}

/// Returns true if a command may end before this character.
fn ends_word(c: char) -> bool {
    " \t\n'\"/;|&()<>`{}".contains(c)
}
