//! Which keys are sensitive: by the words that their names are made of, and by the operator's globs.

use super::{
    RedactionPatternError,
    words::{ABOUT, AFTER_KEY, COUNTS, LAST, NO_KEYS, OTHER_KEYS, PARTS, REAL_KEYS, WORDS},
};
use countersign_patterns::Glob;
use regex::Regex;
use std::sync::LazyLock;

/// What the name of a key says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyJudgement {
    Clear,
    /// It counts the tokens of a language model: a number stays, anything else is a secret.
    Count,
    Secret,
}

/// The operator's own globs, beside the built-in words.
#[derive(Debug, Default)]
pub(super) struct SensitiveKeys {
    /// In lower case, as are the names that they are matched with.
    own: Vec<Glob>,
}

impl SensitiveKeys {
    pub(super) fn new(patterns: &[String]) -> Result<Self, RedactionPatternError> {
        let glob = |(index, pattern): (usize, &String)| {
            Glob::name(&pattern.to_lowercase())
                .map_err(|why| RedactionPatternError::Key { index, why: why.to_string() })
        };
        Ok(Self { own: patterns.iter().enumerate().map(glob).collect::<Result<_, _>>()? })
    }

    pub(super) fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    pub(super) fn judge(&self, name: &str) -> KeyJudgement {
        if self.has_own() && self.is_own(&name.to_lowercase()) {
            KeyJudgement::Secret
        } else {
            by_words(name)
        }
    }

    fn is_own(&self, name: &str) -> bool {
        self.own.iter().any(|glob| glob.is_match(name))
    }
}

/// No name without one of these is looked at closely.
static ROOTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("(?i)key|pass|p-?ss?w|pwd|token|secret|auth|cred|cookie|bearer|otp|pin|sess|jwt|pw")
        .expect("a constant pattern")
});

fn by_words(name: &str) -> KeyJudgement {
    if !ROOTS.is_match(name) {
        return KeyJudgement::Clear;
    }
    let words = words(name);
    let Some(last) = words.last() else { return KeyJudgement::Clear };
    if words.len() > 1 && (ABOUT.contains(&last.as_str()) || words[0] == "no") {
        return KeyJudgement::Clear;
    }
    let joined = words.concat();
    if PARTS.iter().any(|part| joined.contains(part)) || (0..words.len()).any(|at| secret(&words, at)) {
        return KeyJudgement::Secret;
    }
    if !words.iter().any(|word| token(word)) {
        return KeyJudgement::Clear;
    }
    let counts = words.iter().any(|word| word == "tokens" || COUNTS.contains(&word.as_str()));
    if counts { KeyJudgement::Count } else { KeyJudgement::Secret }
}

/// Whether that word makes the name a secret's; tokens are judged apart, since some are counted.
fn secret(words: &[String], at: usize) -> bool {
    let word = words[at].as_str();
    let beside = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
    let (before, after) = (beside(at.checked_sub(1)), beside(Some(at + 1)));
    WORDS.contains(&word)
        || (LAST.contains(&word) && after.is_empty())
        || (word.contains("secret") && !word.starts_with("secretar"))
        || (word.starts_with("session") && after == "id")
        || auth(word)
        || key(word, before, after)
}

fn key(word: &str, before: &str, after: &str) -> bool {
    match word {
        "key" => !OTHER_KEYS.contains(&before) && !AFTER_KEY.contains(&after),
        "keys" => REAL_KEYS.contains(&before),
        _ => {
            word.strip_suffix('s').unwrap_or(word).ends_with("key")
                && !NO_KEYS.contains(&word.trim_end_matches('s'))
        }
    }
}

fn auth(word: &str) -> bool {
    let begins = |start: &str| word.starts_with(start);
    let other = (begins("author") && !begins("authoriz") && !begins("authoris"))
        || (begins("authent") && word != "authentication");
    word.ends_with("auth") || (begins("auth") && !other)
}

fn token(word: &str) -> bool {
    word.contains("token") && !word.contains("tokeniz") && !word.contains("tokenis")
}

/// The words of a name in lower case, without digits at their ends: `dbPassword2` is `db` and
/// `password`, `X-API-Key` is `x`, `api` and `key`, `APIKey` is `api` and `key`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = name.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let next_is_lower = letters.peek().is_some_and(|next| next.is_lowercase());
        let humps = letter.is_uppercase()
            && (before.is_lowercase() || before.is_numeric() || (before.is_uppercase() && next_is_lower));
        if humps || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    let whole = |word: String| word.trim_end_matches(char::is_numeric).to_owned();
    words.into_iter().map(whole).filter(|word| !word.is_empty()).collect()
}

/// Whether a name says so little that only a single word after it is taken for its value: people
/// write `auth: Fix the login` too.
pub(super) fn is_weak(name: &str) -> bool {
    matches!(words(name).as_slice(), [word] if ["auth", "key", "pass", "pin"].contains(&word.as_str()))
}

/// The last word of a name, as it is spelled there.
pub(super) fn last_part(name: &str) -> &str {
    name.rsplit(['_', '-', '.']).next().unwrap_or(name)
}

/// Whether a parameter of a URL signs it: whoever has the signature may do what it allows.
pub(super) fn signs(name: &str) -> bool {
    matches!(words(name).last().map(String::as_str), Some("sig" | "signature"))
}

/// Whether the text is a number that counts something.
pub(super) fn is_count(text: &str) -> bool {
    !text.is_empty() && text.len() <= 7 && text.bytes().all(|byte| byte.is_ascii_digit())
}
