//! Decides if a value is a literal that looks like a secret.
//!
//! A mask must never hide code, so only literals are masked: text that no shell and no language evaluates.

use super::{keys::KeyJudgement, mask::MASK, mnemonics::is_mnemonic, tables::VALUES};
use regex::Regex;
use std::sync::LazyLock;

/// The maximum length of a literal that a name makes secret, in bytes. Longer values are documents.
pub(crate) const MAX_LITERAL: usize = 4096;

/// Returns true for a character that may be part of an unquoted literal. The others are blanks, quotes, and characters
/// that shells and languages evaluate.
pub(crate) const fn is_literal_byte(byte: u8) -> bool {
    !matches!(
        byte,
        0..=b' '
            | 0x7f
            | b'"'
            | b'\''
            | b'`'
            | b'\\'
            | b'$'
            | b'('
            | b')'
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b'<'
            | b'>'
            | b';'
            | b'|'
            | b'&'
    )
}

/// Returns true if a value that a language or a tool has delimited contains code: a substitution, several lines, or a
/// shell operator beside a blank.
pub(crate) fn holds_code(value: &str) -> bool {
    static CODE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"`|\$[({\[']|[<>]\(|[\r\n]|[;|&<>]\s|\s[;|&<>]").expect("a constant pattern")
    });
    CODE.is_match(value)
}

/// Returns true if, by the judgement of its name, the literal `value` is a secret.
pub(crate) fn is_secret(judged: KeyJudgement, value: &str) -> bool {
    let value = value.trim();
    if value.is_empty() || value.len() > MAX_LITERAL || value.contains(MASK) || is_reference(value) {
        return false;
    }
    match judged {
        KeyJudgement::Clear => false,
        KeyJudgement::Weak => (looks_random(value) && !value.contains("://")) || has_scheme(value),
        KeyJudgement::Short => {
            (looks_like_password(value) && !is_innocent(value)) || has_scheme(value) || is_mnemonic(value)
        }
        KeyJudgement::Strong => !is_innocent(value),
        KeyJudgement::Chosen => true,
    }
}

/// Returns true for a credential after its scheme, as in a header: `Basic secret1`.
fn has_scheme(value: &str) -> bool {
    let Some((scheme, credential)) = value.split_once(' ') else { return false };
    let known = [
        "basic",
        "bearer",
        "token",
        "digest",
        "apikey",
        "negotiate",
        "ntlm",
        "splunk",
        "key",
        "bot",
        "oauth",
    ];
    known.iter().any(|known| known.eq_ignore_ascii_case(scheme))
        && looks_like_password(credential)
        && !is_reference(credential)
}

/// Returns true if the value is only a reference to a secret: `$TOKEN`, `${TOKEN}`, `%TOKEN%`, `{{ token }}`,
/// `<token>`.
pub(crate) fn is_reference(value: &str) -> bool {
    static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:\$[A-Za-z_]\w*|%\w+%|@\w+@|<[^<>]*>|\*+|#?\{.*\}|[!$&%]?\{\{.*\}\}|\$\{[^{}]*\}|\$env:\w+|:[a-z_]+|\?|env:.*|file:.*|fd:.*|op://.*|vault:.*|arn:.*|@.*)$")
            .expect("a constant pattern")
    });
    REFERENCE.is_match(value)
}

/// Returns true for a value that is not a secret under any name: a switch, a type, a placeholder, a path or a name.
fn is_innocent(value: &str) -> bool {
    let lower = value.to_lowercase();
    let first = value.chars().next();
    VALUES.words.contains(&lower)
        || VALUES.prefixes.iter().any(|prefix| lower.starts_with(prefix.as_str()))
        || (value.len() > 2 && value.chars().all(|letter| Some(letter) == first))
        || is_path(value)
        || is_version(value)
        || names_secret(&lower)
        || (is_sentence(value) && !is_mnemonic(value))
}

/// Returns true for words without a digit if one of them names a secret: `db-password` is a name, not a password.
fn names_secret(lower: &str) -> bool {
    let words_only = lower.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_. :/".contains(&byte));
    words_only
        && [
            "password",
            "passwd",
            "secret",
            "token",
            "credential",
            "passphrase",
            "apikey",
            "api_key",
            "api-key",
            "api key",
            "private key",
            "public key",
        ]
        .iter()
        .any(|name| lower.contains(name))
}

/// Returns true for several words without a digit, and for a long string.
fn is_sentence(value: &str) -> bool {
    let blanks = value.split_whitespace().count().saturating_sub(1);
    blanks > 5 || (blanks > 2 && !value.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Returns true for a package version: `9.3`, `^1.2.0`.
fn is_version(value: &str) -> bool {
    let parts = value.trim_start_matches(['^', '~', '=', 'v']).split('.');
    value.contains('.')
        && parts.clone().count() <= 4
        && parts
            .into_iter()
            .all(|part| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_path(value: &str) -> bool {
    static PATH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:~|\.{1,2}|[A-Za-z]:)?/(?:[\w.@-]{0,24}/)+[\w.@-]*$|^(?:~|\.{1,2})/[\w.@-]+$|^/(?:[a-z.]+/)*[a-z._-]+$|^[\w-]+\.(?:json|ya?ml|toml|txt|pem|key|crt|env|rs|py|js|ts|go|conf|cfg|ini)$|^[a-z]+://[^@]*$|^(?:[\w.@-]{1,64}/)+[\w-]+\.[a-z0-9]{1,5}$|^-?[0-9]{1,3}$|^0x[0-9a-fA-F]{1,8}$")
            .expect("a constant pattern")
    });
    PATH.is_match(value) && !looks_random(value)
}

/// Returns true if a word has a digit or a sign, as most passwords do and most prose words do not.
pub(crate) fn looks_like_password(value: &str) -> bool {
    let number = value.bytes().all(|byte| byte.is_ascii_digit() || b".,:/-".contains(&byte));
    let sign = value.bytes().any(|byte| byte.is_ascii_digit() || b"!@#%^*+=~".contains(&byte));
    let pin = (4..=8).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    value.len() >= 4 && !value.contains(char::is_whitespace) && (pin || (sign && !number))
}

/// Returns true for a literal of at least 16 characters with a part that mixes digits and letters as random text does.
/// Words, identifiers, paths and dates do not.
pub(crate) fn looks_random(value: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+/=~:%".contains(&byte);
    value.len() >= 16
        && value.bytes().all(plain)
        && value.split(['-', '_', '.', '/', '+', ':', '=', '~', '%']).any(is_random_part)
}

fn is_random_part(part: &str) -> bool {
    let bytes = part.as_bytes();
    let class = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let digit_groups = bytes
        .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
        .filter(|group| group[0].is_ascii_digit())
        .count();
    let changes = bytes.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let mixed_case = bytes.iter().any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase);
    let long_enough = bytes.len() >= 9;
    long_enough
        && letters >= 2
        && (digit_groups >= 2 && changes >= 4
            || (mixed_case && digit_groups >= 1 && changes * 3 >= bytes.len()))
}
