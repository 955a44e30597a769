//! A pattern word with wildcards.

use super::{line::CommandWord, programs::WordRole};
use crate::{
    glob::{GlobToken, match_tokens},
    invisible::HOLE,
};

/// Characters that separate commands in a script or statements in SQL, or that start a substitution.
const SEPARATORS: &[char] = &[';', '|', '&', '\n', '`', '$', '\\', '<', '>', '(', '#'];

/// A word with wildcards. They stay in the word, and match neither what makes a path or an address another one nor what
/// separates commands.
#[derive(Debug, Clone)]
pub(super) struct WildcardWord {
    tokens: Vec<GlobToken>,
    /// The characters before the first wildcard.
    prefix: String,
    /// The literal characters, with U+FFFF for each wildcard.
    skeleton: String,
}

impl WildcardWord {
    pub(super) fn new(tokens: &[GlobToken]) -> Self {
        let as_char = |token: &GlobToken| if let GlobToken::Char(c) = token { *c } else { HOLE };
        let skeleton: String = tokens.iter().map(as_char).collect();
        let prefix = skeleton.split(HOLE).next().unwrap_or_default().to_owned();
        Self { tokens: tokens.to_vec(), prefix, skeleton }
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn tokens(&self) -> &[GlobToken] {
        &self.tokens
    }

    /// The name before a star at the end, if the word is a name and nothing else.
    pub(super) fn stem_before_star(&self) -> Option<String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let ends_open = self.tokens.last() == Some(&GlobToken::Any);
        let is_stem =
            self.prefix.len() + HOLE.len_utf8() == self.skeleton.len() && self.prefix.chars().all(is_name);
        (ends_open && is_stem && !self.prefix.starts_with('-')).then(|| self.prefix.clone())
    }

    /// Whether the pattern shows the word for every value of its expansions.
    pub(super) fn covers(&self, word: &CommandWord, role: WordRole) -> bool {
        let is_shown = match role {
            WordRole::Free => true,
            WordRole::Fixed { written, .. } => {
                let text = &word.text;
                text.get(..written.min(text.len())).is_some_and(|named| {
                    !named.is_empty() && written != usize::MAX && self.prefix.starts_with(named)
                }) || written == usize::MAX && self.prefix == *text
            }
        };
        if !is_shown || word.is_message || word.may_split {
            return false;
        }
        if word.is_literal() { self.covers_text(&word.shown()) } else { self.covers_open(word) }
    }

    fn covers_text(&self, text: &str) -> bool {
        let begins_option = |text: &str| text.starts_with(['-', '+']);
        if begins_option(text) && !begins_option(&self.prefix) || !match_tokens(&self.tokens, text, false) {
            return false;
        }
        let is_script = self.skeleton.contains('\'') || text.starts_with('\'');
        let is_quiet =
            !is_script || SEPARATORS.iter().all(|c| count_of(text, *c) <= count_of(&self.skeleton, *c));
        is_quiet && self.stays_in_folder(text) && self.stays_on_host(text)
    }

    /// Whether the pattern covers the word's known start and whatever follows.
    fn covers_open(&self, word: &CommandWord) -> bool {
        let known = word.text.split(HOLE).next().unwrap_or_default();
        let ends_open = self.tokens.last() == Some(&GlobToken::Any);
        let before = &self.tokens[..self.tokens.len() - 1];
        let after_slash = self.skeleton.contains('/');
        // A variable may lead to another folder. A file name pattern leads there only if it says so.
        let may_leave =
            after_slash && (word.raw.contains(['$', '`']) || word.raw.contains("..") || known.ends_with('.'));
        let has_wildcard_before = before.iter().any(|token| !matches!(token, GlobToken::Char(_)));
        ends_open
            && !has_wildcard_before
            && !may_leave
            && !self.has_open_host()
            && known.starts_with(&self.prefix)
            && self.stays_in_folder(known)
    }

    /// Whether no wildcard after a slash matches `..`.
    fn stays_in_folder(&self, text: &str) -> bool {
        let first_wildcard = self.prefix.len();
        let Some(slash) = self.skeleton.find('/') else { return true };
        let has_wildcard_after = slash < first_wildcard || self.skeleton[slash..].contains(HOLE);
        !has_wildcard_after || count_parents(text) <= count_parents(&self.skeleton)
    }

    /// Whether a wildcard in an address's host or port matches only that part.
    fn stays_on_host(&self, text: &str) -> bool {
        if !self.has_open_host() {
            return true;
        }
        let authority = |text: &str| -> String {
            let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
            rest.split(['/', '?', '#', '\\']).next().unwrap_or_default().to_owned()
        };
        let (shown, matched) = (authority(&self.skeleton), authority(text));
        if count_of(&matched, '@') > count_of(&shown, '@') || text.contains('\\') {
            return false;
        }
        // A star after a host name may start a port or a path, and not continue the name.
        let Some(before) = shown.strip_suffix(HOLE).filter(|before| !before.contains(HOLE)) else {
            return true;
        };
        let Some(rest) = matched.strip_prefix(before) else { return false };
        let is_port = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit());
        match before.chars().next_back() {
            Some(':') => is_port(rest),
            Some(c) if c.is_ascii_alphanumeric() && self.skeleton.contains("://") && before.contains('.') => {
                rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)
            }
            _ => true,
        }
    }

    /// Whether a wildcard is in an address's host or port.
    fn has_open_host(&self) -> bool {
        let has_scheme = self.skeleton.contains("://");
        let rest = self.skeleton.split_once("://").map_or(self.skeleton.as_str(), |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let Some(wildcard) = authority.find(HOLE) else { return false };
        let is_address = has_scheme || authority[..wildcard].contains([':', '@']);
        is_address && !self.prefix.starts_with('-') && !self.skeleton.contains('\'')
    }
}

fn count_of(text: &str, c: char) -> usize {
    text.chars().filter(|other| *other == c).count()
}

/// The number of segments `..`, also with percent signs.
fn count_parents(text: &str) -> usize {
    let plain = text.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/").replace("%5c", "/");
    plain.split(['/', '\\', '\'', '=', ':']).filter(|segment| *segment == "..").count()
}
