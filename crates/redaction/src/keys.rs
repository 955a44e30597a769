//! Decides if a key is sensitive, by the words in its name and by the operator's globs.

use super::{
    RedactionPatternError,
    key_words::{
        COUNT_WORDS, HARMLESS_AFTER_KEY, HARMLESS_BEFORE_KEY, HARMLESS_KEY_WORDS, PROPERTY_WORDS,
        SECRET_BEFORE_KEYS, SECRET_LAST_WORDS, SECRET_PARTS, SECRET_WORDS,
    },
};
use countersign_patterns::Glob;
use regex::Regex;
use std::sync::LazyLock;

/// The sensitivity of a value, judged by the name of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyJudgement {
    Clear,
    /// The key may count the tokens of a language model: a number is shown, any other value is masked.
    Count,
    Secret,
}

/// The names of sensitive keys: the built-in words and the operator's globs.
#[derive(Debug, Default)]
pub(super) struct SensitiveKeys {
    /// The operator's globs, in lower case. They are matched with lower-case names.
    globs: Vec<Glob>,
}

impl SensitiveKeys {
    pub(super) fn new(patterns: &[String]) -> Result<Self, RedactionPatternError> {
        let glob = |(index, pattern): (usize, &String)| {
            Glob::name(&pattern.to_lowercase())
                .map_err(|why| RedactionPatternError::Key { index, why: why.to_string() })
        };
        Ok(Self { globs: patterns.iter().enumerate().map(glob).collect::<Result<_, _>>()? })
    }

    pub(super) fn has_globs(&self) -> bool {
        !self.globs.is_empty()
    }

    pub(super) fn judge(&self, name: &str) -> KeyJudgement {
        if self.has_globs() && self.matches_glob(&name.to_lowercase()) {
            KeyJudgement::Secret
        } else {
            judge_words(name)
        }
    }

    fn matches_glob(&self, name: &str) -> bool {
        self.globs.iter().any(|glob| glob.is_match(name))
    }
}

/// Every sensitive name contains one of these. Other names skip the word analysis.
static ROOTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("(?i)key|pass|p-?ss?w|pwd|token|secret|auth|cred|cookie|bearer|otp|pin|sess|jwt|pw")
        .expect("a constant pattern")
});

fn judge_words(name: &str) -> KeyJudgement {
    if !ROOTS.is_match(name) {
        return KeyJudgement::Clear;
    }
    let words = split_words(name);
    let Some(last) = words.last() else { return KeyJudgement::Clear };
    if words.len() > 1 && (PROPERTY_WORDS.contains(&last.as_str()) || words[0] == "no") {
        return KeyJudgement::Clear;
    }
    let joined = words.concat();
    if SECRET_PARTS.iter().any(|part| joined.contains(part))
        || (0..words.len()).any(|at| is_secret_word(&words, at))
    {
        return KeyJudgement::Secret;
    }
    if !words.iter().any(|word| is_token(word)) {
        return KeyJudgement::Clear;
    }
    let counts = words.iter().any(|word| word == "tokens" || COUNT_WORDS.contains(&word.as_str()));
    if counts { KeyJudgement::Count } else { KeyJudgement::Secret }
}

/// True if the word at `at` makes the name sensitive. Tokens are judged separately, because a name such as
/// `max_tokens` counts them.
fn is_secret_word(words: &[String], at: usize) -> bool {
    let word = words[at].as_str();
    let beside = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
    let (before, after) = (beside(at.checked_sub(1)), beside(Some(at + 1)));
    SECRET_WORDS.contains(&word)
        || (SECRET_LAST_WORDS.contains(&word) && after.is_empty())
        || (word.contains("secret") && !word.starts_with("secretar"))
        || (word.starts_with("session") && after == "id")
        || is_auth(word)
        || is_key(word, before, after)
}

fn is_key(word: &str, before: &str, after: &str) -> bool {
    match word {
        "key" => !HARMLESS_BEFORE_KEY.contains(&before) && !HARMLESS_AFTER_KEY.contains(&after),
        "keys" => SECRET_BEFORE_KEYS.contains(&before),
        _ => {
            word.strip_suffix('s').unwrap_or(word).ends_with("key")
                && !HARMLESS_KEY_WORDS.contains(&word.trim_end_matches('s'))
        }
    }
}

fn is_auth(word: &str) -> bool {
    let begins = |start: &str| word.starts_with(start);
    let other = (begins("author") && !begins("authoriz") && !begins("authoris"))
        || (begins("authent") && word != "authentication");
    word.ends_with("auth") || (begins("auth") && !other)
}

fn is_token(word: &str) -> bool {
    word.contains("token") && !word.contains("tokeniz") && !word.contains("tokenis")
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

/// True if the name is so common in prose that only a single word after it is treated as its value: `auth: Fix the
/// login` is a sentence.
pub(super) fn is_weak(name: &str) -> bool {
    matches!(split_words(name).as_slice(), [word] if ["auth", "key", "pass", "pin"].contains(&word.as_str()))
}

/// The last part of a name, in its original spelling.
pub(super) fn last_part(name: &str) -> &str {
    name.rsplit(['_', '-', '.']).next().unwrap_or(name)
}

/// True if a URL parameter is a signature. The signature grants access to the URL.
pub(super) fn is_signature(name: &str) -> bool {
    matches!(split_words(name).last().map(String::as_str), Some("sig" | "signature"))
}

/// True if the text is a number of at most seven digits, and so a plausible count.
pub(super) fn is_count(text: &str) -> bool {
    !text.is_empty() && text.len() <= 7 && text.bytes().all(|byte| byte.is_ascii_digit())
}
