//! Decides how sensitive a key is, by the words in its name and by the operator's globs.

use super::{RedactionPatternError, tables::KEYS};
use countersign_patterns::Glob;
use regex::Regex;
use std::{borrow::Cow, sync::LazyLock};

/// How sensitive a value is, judged by its key name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyJudgement {
    Clear,
    /// A common word such as `key` or `token`: the value is masked if it looks random.
    Weak,
    /// A short word such as `pass`: the value is masked if it looks like a password.
    Short,
    /// A secret name: every literal is masked.
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

    /// Judges a key name.
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

impl SensitiveKeys {
    /// Judges a call argument name or an option name. There, a bare `token` or `auth` is a credential rather than a
    /// language token, so its value need only look like a password.
    pub(crate) fn judge_argument(&self, name: &str) -> KeyJudgement {
        let judged = self.judge(name);
        let lower = name.trim_start_matches('-').to_ascii_lowercase();
        let is_bare = matches!(lower.as_str(), "token" | "auth");
        if is_bare { judged.max(KeyJudgement::Short) } else { judged }
    }
}

/// Every sensitive name contains one of these, or a letter beyond ASCII. Other names skip the word analysis.
static ROOTS: LazyLock<Regex> = LazyLock::new(|| {
    let words = [&KEYS.secret_words, &KEYS.short_secret_words, &KEYS.vendors];
    let words = words.into_iter().flatten().chain(&KEYS.secret_parts);
    let words: Vec<_> = words.filter(|word| word.is_ascii()).map(|word| regex::escape(word)).collect();
    let pattern =
        format!("(?i)key|token|secret|auth|sess|code|phrase|words|[^\\x00-\\x7f]|{}", words.join("|"));
    Regex::new(&pattern).expect("constant words")
});

/// Returns false if the text contains no sensitive name, so that name searches can skip it.
pub(crate) fn may_name_secret(text: &str) -> bool {
    ROOTS.is_match(text)
}

/// The maximum length of a name that is split into words. Longer names are prose.
const MAX_NAME: usize = 256;

fn judge_words(name: &str) -> KeyJudgement {
    if name.len() > MAX_NAME || !(ROOTS.is_match(name) || ROOTS.is_match(&squeeze(name))) {
        return KeyJudgement::Clear;
    }
    let words = split_words(name);
    let Some(last) = words.last() else { return KeyJudgement::Clear };
    let session_id = words.windows(2).any(|pair| pair[0].starts_with("session") && pair[1] == "id");
    if session_id {
        return KeyJudgement::Strong;
    }
    // Random ids, such as a Google service account key id and a Vault secret id.
    let is_key_id = ["privatekeyid", "secretid"].contains(&words.concat().as_str());
    if words.len() > 1
        && (KEYS.property_words.contains(last) || KEYS.action_words.contains(&words[0]))
        && !is_code(&words, words.len() - 1)
    {
        return if is_key_id { KeyJudgement::Weak } else { KeyJudgement::Clear };
    }
    judge_all(&words)
}

/// The name without the signs that join its words, so that `mat_khau` has the root `matkhau`.
fn squeeze(name: &str) -> Cow<'_, str> {
    if name.contains(['_', '-', ' ']) {
        Cow::Owned(name.replace(['_', '-', ' '], ""))
    } else {
        Cow::Borrowed("")
    }
}

fn judge_all(words: &[String]) -> KeyJudgement {
    let joined = words.concat();
    if KEYS.secret_parts.iter().any(|part| joined.contains(part)) {
        return KeyJudgement::Strong;
    }
    (0..words.len()).map(|at| judge_word(words, at)).max().unwrap_or(KeyJudgement::Clear)
}

/// Judges the text that names a field into which people type: `Password field`, `input[name=password]`, `#pin`.
pub(crate) fn judge_field(text: &str) -> KeyJudgement {
    if text.len() > MAX_NAME || !ROOTS.is_match(text) {
        return KeyJudgement::Clear;
    }
    let mut words = split_words(text);
    while words.len() > 1 && words.last().is_some_and(|last| KEYS.field_words.contains(last)) {
        words.pop();
    }
    judge_all(&words)
}

/// Returns true for `code` after `recovery`, and similar.
fn is_code(words: &[String], at: usize) -> bool {
    at > 0
        && matches!(words[at].as_str(), "code" | "codes")
        && KEYS.secret_before_code.contains(&words[at - 1])
}

fn is_phrase(words: &[String], at: usize) -> bool {
    at > 0
        && matches!(words[at].as_str(), "phrase" | "words")
        && KEYS.secret_before_phrase.contains(&words[at - 1])
}

fn judge_word(words: &[String], at: usize) -> KeyJudgement {
    let word = words[at].as_str();
    if KEYS.other_words.contains(word) {
        return KeyJudgement::Clear;
    }
    if KEYS.secret_words.contains(word) || word.contains("secret") {
        return KeyJudgement::Strong;
    }
    if is_phrase(words, at) {
        return KeyJudgement::Strong;
    }
    if is_code(words, at) {
        return KeyJudgement::Short;
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
    if is_auth(word) || KEYS.vendors.contains(word) { KeyJudgement::Weak } else { KeyJudgement::Clear }
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

/// Returns true for `myapi` and `api`. Ends of two or three letters are too common, except `api`.
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
