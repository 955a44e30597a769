//! Finds secrets among the arguments of calls in code: `set("password", "…")`, `login("ada", "…")`, `setPassword("…")`, and
//! the text that a browser types into a field: `fill("#password", "…")`.

use super::{
    keys::{KeyJudgement, SensitiveKeys, judge_field},
    literal::{is_secret, looks_like_password},
    literal_spans,
    tables::CALLS,
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// How many bytes before a comma are searched for a quoted name's start.
const MAX_NAME: usize = 120;

/// The number of arguments of a call that are read, and the number of bytes between two of them.
const MAX_ARGUMENTS: usize = 6;
const MAX_GAP: usize = 200;

/// One string ends and the next starts: two arguments, or arguments of two chained calls.
static JUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?-u)\\{0,7}(["'])[\])]{0,2}[ \t]{0,8}(?:,|\.[ \t]{0,4}(?:[A-Za-z_]{1,20}\(\)\.){0,2}(?:fill|type|send_keys|sendKeys|setValue|set_value|pressSequentially|press_sequentially|val|set|input|value|clear_and_type|keyboard)\()\s{0,8}[bruRN@]{0,2}\\{0,7}["']"#,
    )
    .expect("a constant pattern")
});

/// The name before a quoted argument, or the name of a credential pair.
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?-u)([A-Za-z_][A-Za-z0-9_]+)["']?[ \t]{0,4}(?:[=:][ \t]{0,4})?[(\[ ][ \t\n]{0,8}"#)
        .expect("a constant pattern")
});

/// An atom and a string as a pair, as in Erlang and Elixir.
static ATOM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\{[ \t]{0,4}:?([A-Za-z_][A-Za-z0-9_]+)[ \t]{0,4},[ \t]{0,4}(?:<<)?")
        .expect("a constant pattern")
});

/// Adds the spans of strings after a quoted name to `spans`.
pub(crate) fn find_quoted_arguments(keys: &SensitiveKeys, text: &str, spans: &mut Vec<Range<usize>>) {
    let has_quotes = text.contains(['"', '\'']);
    for found in has_quotes.then(|| JUNCTION.captures_iter(text)).into_iter().flatten() {
        let (Some(whole), Some(quote)) = (found.get(0), found.get(1)) else { continue };
        let Some(name) = quoted_before(text, whole.start(), quote.as_str()) else { continue };
        let judged = keys.judge(name.trim_start_matches('-')).max(judge_field(name));
        if judged == KeyJudgement::Clear {
            continue;
        }
        // The value starts at the last quote in the match, with its prefix and backslashes.
        let opening = whole.as_str().trim_end_matches(['"', '\'']).trim_end_matches('\\').len();
        spans.extend(password_at(text, whole.start() + opening, judged));
    }
    let has_atoms = text.contains('{');
    for found in has_atoms.then(|| ATOM.captures_iter(text)).into_iter().flatten() {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
        spans.extend(password_at(text, whole.end(), keys.judge(name.as_str())));
    }
}

/// Adds the spans of secret arguments in calls with a known name to `spans`.
pub(crate) fn find_call_arguments(keys: &SensitiveKeys, text: &str, spans: &mut Vec<Range<usize>>) {
    if !text.contains(['"', '\'']) {
        return;
    }
    for found in CALL.captures_iter(text) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
        if let Some(argument) = secret_argument(keys, name.as_str(), whole.as_str()) {
            spans.extend(argument_at(text, whole.end(), argument));
        }
    }
}

/// The string content that ends at `end`, in the same line.
fn quoted_before<'a>(text: &'a str, end: usize, quote: &str) -> Option<&'a str> {
    let near = &text[text.floor_char_boundary(end.saturating_sub(MAX_NAME))..end];
    let name = &near[near.rfind(quote)? + quote.len()..];
    // A setting or a path does not name a field; selectors of a page contain the same signs.
    let is_selector = name.contains('[') || name.starts_with("//");
    let is_value = name.contains(['=', '/']) && !is_selector;
    (!name.contains(['\n', '(', ';', '|']) && !is_value).then_some(name)
}

/// The literal at `start` if it looks like a password.
fn password_at(text: &str, start: usize, judged: KeyJudgement) -> Option<Range<usize>> {
    let range = literal_spans::quoted_at(text, start)?;
    let value = &text[range.clone()];
    let credential = value.rsplit(' ').next().unwrap_or(value);
    let secret = is_secret(judged, value) && looks_like_password(credential) && !value.starts_with("--");
    secret.then_some(range)
}

/// The secret argument's index, counted from 0.
fn secret_argument(keys: &SensitiveKeys, name: &str, call: &str) -> Option<usize> {
    let lower = name.to_ascii_lowercase();
    if let Some(argument) = CALLS.get(lower.as_str()) {
        return Some(*argument);
    }
    let verbs = ["set", "with", "hash", "make", "change", "update", "use", "encrypt", "add", ""];
    let rest = verbs
        .iter()
        .find_map(|verb| lower.starts_with(verb).then(|| name[verb.len()..].trim_start_matches('_')))?;
    let starts_word = rest.len() == name.len() || name.contains('_') || rest.starts_with(char::is_uppercase);
    let begins_secret = [
        "password",
        "passwd",
        "passphrase",
        "bearer",
        "basic",
        "api",
        "secret",
        "access",
        "private",
        "client",
        "auth",
    ]
    .iter()
    .any(|start| rest.to_ascii_lowercase().starts_with(start));
    let sets = call.contains('(') && !call.contains(['=', ':']) && starts_word && begins_secret;
    (sets && keys.judge(rest) == KeyJudgement::Strong).then_some(0)
}

/// The string that is argument `wanted` in the call whose arguments start at `start`. Other arguments may be
/// expressions.
fn argument_at(text: &str, start: usize, wanted: usize) -> Option<Range<usize>> {
    let mut at = start;
    for _ in 0..wanted.min(MAX_ARGUMENTS) {
        at = next_argument(text, at)?;
    }
    password_at(text, at, KeyJudgement::Strong)
}

/// Where the argument after the one at `start` starts.
fn next_argument(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, start);
    if let Some(string) = literal_spans::quoted_at(text, start) {
        at = string.end;
    }
    while at < bytes.len().min(start + MAX_GAP) {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                let blanks =
                    bytes[at + 1..].iter().take(40).take_while(|byte| byte.is_ascii_whitespace()).count();
                return Some(at + 1 + blanks);
            }
            b';' | b'|' | b'\n' if depth == 0 && bytes[at] != b'\n' => return None,
            _ => {}
        }
        at += 1;
    }
    None
}
