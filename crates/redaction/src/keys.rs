//! Decides how sensitive a key is, by the words in its name and by the operator's globs.

use super::{RedactionPatternError, tables::KEYS};
use countersign_patterns::Glob;
use regex::Regex;
use std::sync::LazyLock;

/// The sensitivity of a value, judged by the name of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyJudgement {
    Clear,
    /// A common word such as `key` or `token`: the value is masked if it looks random.
    Weak,
    /// A short word such as `pass`: the value is masked if it looks like a password.
    Short,
    /// The name of a secret: every literal is masked.
    Strong,
    /// The operator named this key: every literal is masked, even one that looks innocent.
    Chosen,
}

/// The names of sensitive keys: the built-in words and the operator's globs.
#[derive(Debug, Default)]
pub(crate) struct SensitiveKeys {
    /// The operator's globs, in lower case. They are matched with lower-case names.
    globs: Vec<Glob>,
}

impl SensitiveKeys {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, RedactionPatternError> {
        let glob = |(index, pattern): (usize, &String)| {
            Glob::name(&pattern.to_lowercase())
                .map_err(|why| RedactionPatternError::Key { index, why: why.to_string() })
        };
        Ok(Self { globs: patterns.iter().enumerate().map(glob).collect::<Result<_, _>>()? })
    }

    pub(crate) fn judge(&self, name: &str) -> KeyJudgement {
        if !self.globs.is_empty() {
            let lower = name.to_lowercase();
            if self.globs.iter().any(|glob| glob.is_match(&lower)) {
                return KeyJudgement::Chosen;
            }
        }
        judge_words(name)
    }
}

/// Every sensitive name contains one of these. Other names skip the word analysis.
static ROOTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("(?i)key|pass|p-?ss?w|pwd|token|secret|auth|cred|cookie|bearer|otp|pin|sess|jwt|pw")
        .expect("a constant pattern")
});

/// The longest name that is split into words. Longer names are texts.
const MAX_NAME: usize = 256;

fn judge_words(name: &str) -> KeyJudgement {
    if name.len() > MAX_NAME || !ROOTS.is_match(name) {
        return KeyJudgement::Clear;
    }
    let words = split_words(name);
    let Some(last) = words.last() else { return KeyJudgement::Clear };
    let session_id = words.windows(2).any(|pair| pair[0].starts_with("session") && pair[1] == "id");
    if session_id {
        return KeyJudgement::Strong;
    }
    if words.len() > 1 && (KEYS.property_words.contains(last) || KEYS.action_words.contains(&words[0])) {
        return KeyJudgement::Clear;
    }
    let joined = words.concat();
    if KEYS.secret_parts.iter().any(|part| joined.contains(part)) {
        return KeyJudgement::Strong;
    }
    (0..words.len()).map(|at| judge_word(&words, at)).max().unwrap_or(KeyJudgement::Clear)
}

fn judge_word(words: &[String], at: usize) -> KeyJudgement {
    let word = words[at].as_str();
    if KEYS.other_words.contains(word) {
        return KeyJudgement::Clear;
    }
    if KEYS.secret_words.contains(word) || word.contains("secret") {
        return KeyJudgement::Strong;
    }
    if KEYS.short_secret_words.contains(word) && at + 1 == words.len() {
        return if word == "pass" && words.len() > 1 { KeyJudgement::Strong } else { KeyJudgement::Short };
    }
    if word.contains("token") {
        return judge_token(words, at);
    }
    if word.strip_suffix('s').unwrap_or(word).ends_with("key") {
        return judge_key(words, at);
    }
    if is_auth(word) { KeyJudgement::Weak } else { KeyJudgement::Clear }
}

fn judge_token(words: &[String], at: usize) -> KeyJudgement {
    let others = words.iter().enumerate().filter(|(other, _)| *other != at);
    let mut others = others.map(|(_, word)| word.as_str()).peekable();
    let alone = others.peek().is_none();
    if others.any(|word| KEYS.harmless_beside_token.contains(word)) {
        KeyJudgement::Clear
    } else if words[at].starts_with("token") && alone {
        KeyJudgement::Weak
    } else {
        KeyJudgement::Strong
    }
}

fn judge_key(words: &[String], at: usize) -> KeyJudgement {
    let word = words[at].trim_end_matches('s');
    let joined = word.strip_suffix("key").filter(|before| !before.is_empty());
    let before = joined.or_else(|| words.get(at.checked_sub(1)?).map(String::as_str)).unwrap_or_default();
    let after = words.get(at + 1).map_or("", String::as_str);
    if KEYS.harmless_beside_key.contains(before) || KEYS.harmless_beside_key.contains(after) {
        KeyJudgement::Clear
    } else if KEYS.secret_before_key.contains(before)
        || KEYS.secret_before_key.iter().any(|end| ends_long(before, end))
    {
        KeyJudgement::Strong
    } else {
        KeyJudgement::Weak
    }
}

/// True for `myapi` and `api`. Ends of two or three letters are too common, except `api`.
fn ends_long(word: &str, end: &str) -> bool {
    (end.len() > 4 || end == "api") && word.ends_with(end)
}

fn is_auth(word: &str) -> bool {
    let other = word.starts_with("author") || word.starts_with("authentic");
    word.ends_with("auth") || (word.starts_with("auth") && !other)
}

/// Splits a name into lower-case words without trailing digits: `dbPassword2` becomes `db` and `password`,
/// `X-API-Key` becomes `x`, `api` and `key`, `APIKey` becomes `api` and `key`.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = name.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let next_is_lower = letters.peek().is_some_and(|next| next.is_lowercase());
        let starts_word = letter.is_uppercase()
            && (before.is_lowercase() || before.is_numeric() || (before.is_uppercase() && next_is_lower));
        if starts_word || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    let without_digits = |word: String| word.trim_end_matches(char::is_numeric).to_owned();
    words.into_iter().map(without_digits).filter(|word| !word.is_empty()).collect()
}
