//! Finds secrets by their shape, and secrets in the authority of a URL.

use super::private_key;
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// The number of bytes of a URL that are searched for the end of an unescaped secret.
const MAX_AUTHORITY: usize = 1024;

/// Tokens with the prefix of a known issuer.
static TOKENS: LazyLock<Regex> = LazyLock::new(|| {
    let shapes = [
        r"gh[pousr]_[A-Za-z0-9]{16,}",
        r"github_pat_[A-Za-z0-9_]{16,}",
        r"glpat-[A-Za-z0-9_-]{12,}",
        r"sk-[A-Za-z0-9_-]{16,}",
        r"[srp]k_(?:live|test)_[A-Za-z0-9]{10,}",
        r"whsec_[A-Za-z0-9+/=]{16,}",
        r"(?:AKIA|ASIA)[A-Z0-9]{12,}",
        r"xox[a-z]-[A-Za-z0-9-]{10,}",
        r"xapp-[A-Za-z0-9-]{10,}",
        r"AIza[A-Za-z0-9_-]{30,}",
        r"ya29\.[A-Za-z0-9_-]{16,}",
        r"npm_[A-Za-z0-9]{30,}",
        r"hf_[A-Za-z0-9]{20,}",
        r"pypi-[A-Za-z0-9_-]{40,}",
        r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,}",
        r"do[op]_v1_[a-f0-9]{32,}",
        r"hv[sb]\.[A-Za-z0-9_-]{16,}",
        r"eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
    ];
    Regex::new(&format!(r"(?-u:\b)(?:{})", shapes.join("|"))).expect("a constant pattern")
});

static SCHEME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u:\b(?:bearer|basic)[ \t]+)([A-Za-z0-9._~+/=-]{6,})").expect("a constant pattern")
});

static SLACK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]+)").expect("a constant pattern")
});

/// Passwords without a sign before them: in SQL statements and in `.netrc` files.
static AFTER_WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:(?:password|identified\s+by)\s+'([^']+)'|login\s+\S+\s+password\s+([^\s;|&<>)`$]+))",
    )
    .expect("a constant pattern")
});

/// Adds the spans of all secrets with a known shape to `spans`.
pub(super) fn find_shaped_secrets(text: &str, spans: &mut Vec<Range<usize>>) {
    // `sk-` also starts ordinary hyphenated words; a digit tells a token from them.
    let random = |found: &regex::Match<'_>| !found.as_str().starts_with("sk-") || has_digit(found.as_str());
    spans.extend(TOKENS.find_iter(text).filter(random).map(|found| found.range()));
    private_key::find_private_keys(text, spans);
    let credentials = SCHEME.captures_iter(text).filter_map(|found| found.get(1));
    spans.extend(credentials.filter(|found| looks_random(found.as_str())).map(|found| found.range()));
    let hooks = SLACK.captures_iter(text).filter_map(|found| found.get(1));
    spans.extend(hooks.map(|found| found.range()));
    let after_word = AFTER_WORD.captures_iter(text).filter_map(|found| found.get(1).or(found.get(2)));
    // An earlier open quote can reverse the meaning of these quotes. A shell would then run the text after an
    // operator, so the mask ends there.
    spans.extend(after_word.map(|found| {
        let runs = found.as_str().find([';', '|', '&', '`', '"', '\n']).or_else(|| found.as_str().find("$("));
        found.start()..runs.map_or(found.end(), |runs| found.start() + runs)
    }));
    for (at, _) in text.match_indices("://") {
        spans.extend(userinfo(text, at));
    }
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// True if the text after `Bearer` looks like a token and not like a word of a sentence.
fn looks_random(text: &str) -> bool {
    let text = text.trim_end_matches('.');
    let plain = text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let capital_inside = text.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    let hyphens_only = text.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-/.".contains(&byte));
    has_digit(text)
        || (plain && capital_inside && text.bytes().any(|byte| byte.is_ascii_lowercase()))
        || !hyphens_only
}

/// The span of the user information of a URL: `user:secret` in `https://user:secret@host`.
fn userinfo(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + 3;
    let ends_url =
        |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '<' | '>' | '\\' | '|');
    let rest = &text[start..];
    let authority = &rest[..rest.find(|c| ends_url(c) || matches!(c, '/' | '?' | '#')).unwrap_or(rest.len())];
    let length = authority.rfind('@').or_else(|| unescaped_userinfo_length(rest, authority, ends_url))?;
    let user = &rest[..length];
    // The user name of an SSH URL is not a secret; SSH authenticates with a key.
    let scheme =
        text[..at].rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '+').next().unwrap_or_default();
    let only_name = !user.contains(':') && matches!(scheme, "ssh" | "git+ssh" | "sftp" | "ssh+git");
    let reference = user.rsplit(':').next().is_some_and(super::value::is_reference);
    // The mask must not hide text that a shell would run.
    let quiet = user.find([';', '&', '(', ')']).map_or(user, |at| user[..at].trim_end_matches('$'));
    (!quiet.is_empty() && !only_name && !reference).then(|| start..start + quiet.len())
}

/// The length of the user information if the secret contains an unescaped `/`, `?` or `#`. In that case the text
/// after the colon is not a port.
fn unescaped_userinfo_length(rest: &str, authority: &str, ends_url: fn(char) -> bool) -> Option<usize> {
    let (_, port) = authority.split_once(':')?;
    if authority.starts_with('[') || port.is_empty() || port.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Without this limit a text that consists of URLs would take quadratic time.
    let near = &rest[..rest.floor_char_boundary(MAX_AUTHORITY)];
    near[..near.find(ends_url).unwrap_or(near.len())].rfind('@')
}
