//! Finds secrets that a sentence names: `the password is "…"`, `api key …`, `пароль: …`, `パスワード：…`.

use super::{
    keys::KeyJudgement,
    literal::{is_secret, looks_like_password},
    literal_spans,
    tables::KEYS,
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Words for a secret in sentences, beside those of `data/keys.toml`.
const NAMES: &str = r"api[ _-]?keys?|access[ _-]?keys?|secret[ _-]?keys?|secret|(?:access |auth |bearer |api |bot )?token|pin|otp|creds|mot de passe|clave|senha|heslo|geslo|parola|passwort|kata sandi|mật khẩu|κωδικός πρόσβασης|şifre|clé secrète|clave secreta";

/// Words after which the next word is rarely the secret, but a name, unless something is between them.
const SHORT_NAMES: &[&str] = &[
    "secret",
    "secrets",
    "token",
    "tokens",
    "pin",
    "otp",
    "creds",
    "clave",
    "parola",
    "credential",
    "credentials",
];

/// Words between a secret name and its value, and signs, which need no blanks.
const VERBS: &str = r"is now|is set to|set to|changed to|to be|to|is|was|are|equals|becomes|ist|lautet|es|est|è|é|son|är|er|jest|это|є";
const SIGNS: &str = r"は|是|为|為|=|:|：|＝|->|→|—";

static SENTENCE: LazyLock<Regex> = LazyLock::new(|| {
    let parts = KEYS.secret_parts.iter().map(|part| regex::escape(part)).collect::<Vec<_>>().join("|");
    Regex::new(&format!(
        r#"(?i)(?:^|[\s"'“„«(,]|[^\x00-\x7f])(?:{parts}|{NAMES})(?:s|en|et|ul)?(?:\s(?:for|of|to|von|de|für)(?:\s(?:the|user))?\s[A-Za-z0-9_.@-]{{1,40}})?(?:\s{{1,4}}((?:{VERBS}):?)\s{{1,4}}|\s{{0,4}}({SIGNS})\s{{0,4}}|\s{{1,4}})(?:the |now )?\\{{0,7}}(["'“”«„「]?)"#
    ))
    .expect("constant words")
});

/// Adds the spans of such values to `spans`.
pub(crate) fn find_spoken_secrets(text: &str, spans: &mut Vec<Range<usize>>) {
    for found in SENTENCE.captures_iter(text) {
        let (Some(whole), Some(quote)) = (found.get(0), found.get(3)) else { continue };
        let sign = found.get(1).or_else(|| found.get(2));
        let name =
            text[whole.start()..sign.unwrap_or(quote).start()].trim_matches(|c: char| !c.is_alphanumeric());
        // Assignments of code have their own search, which knows expressions.
        let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        if is_word && sign.is_some_and(|sign| matches!(sign.as_str(), "=" | ":" | "->")) {
            continue;
        }
        let is_name = !SHORT_NAMES.contains(&name.to_lowercase().as_str());
        let range = match quote.as_str() {
            "\"" | "'" => literal_spans::quoted_at(text, opening(text, whole.start(), quote.start())),
            _ => literal_spans::word_at(text, whole.end()),
        };
        let Some(range) = range else { continue };
        let value = trim_closing(&text[range.clone()]);
        let certain = sign.is_some() || !quote.is_empty();
        let secret = is_secret(KeyJudgement::Strong, value) && looks_like_password(value);
        if secret && (certain || is_name && is_mixed(value)) && !value.starts_with(['/', '.', '-', '@', '#'])
        {
            spans.push(range.start..range.start + value.len());
        }
    }
}

/// The first backslash before a quote.
fn opening(text: &str, from: usize, quote: usize) -> usize {
    from + text[from..quote].trim_end_matches('\\').len()
}

fn trim_closing(word: &str) -> &str {
    word.trim_end_matches(['”', '“', '»', '」', '。', '、', '！', '!', '?', '.', ','])
}

/// Returns true for a word of letters and digits that does not look like a name, a number or a unit.
fn is_mixed(value: &str) -> bool {
    let count = |class: fn(&u8) -> bool| value.bytes().filter(class).count();
    value.len() >= 6
        && count(u8::is_ascii_digit) >= 1
        && count(u8::is_ascii_alphabetic) >= 3
        && !value.contains(['=', ':', '/', '.', '_', '(', ')'])
}
