//! The lists of secret, innocent and hostile inputs, with the rates that redaction must reach.

use super::Redactor;
use countersign_events::Json;
use serde::Deserialize;

#[derive(Deserialize)]
struct ListFile {
    entries: Vec<ListEntry>,
}

#[derive(Deserialize)]
struct ListEntry {
    text: String,
    #[serde(default)]
    json: bool,
    /// The part that must not appear after redaction.
    hidden: Option<String>,
    /// The part that must still appear after redaction.
    visible: Option<String>,
}

/// Replaces `<alnum 36>` by 36 characters of that class, the same for each use of the class.
pub(super) fn fill(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        let tail = &rest[start..];
        let filled = tail.find('>').and_then(|end| {
            let (class, length) = tail[1..end].split_once(' ')?;
            Some((random_text(alphabet(class)?, length.parse().ok()?), end + 1))
        });
        let (piece, used) = filled.unwrap_or(("<".to_owned(), 1));
        out.push_str(&piece);
        rest = &tail[used..];
    }
    out + rest
}

fn alphabet(class: &str) -> Option<&'static str> {
    Some(match class {
        "alnum" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "base64" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "upper" | "base32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "base32lower" | "lower" => "abcdefghijklmnopqrstuvwxyz234567",
        "bech" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        "hex" => "0123456789abcdef",
        "dec" => "0123456789",
        _ => return None,
    })
}

/// A fixed sequence of characters that looks random.
fn random_text(alphabet: &str, length: usize) -> String {
    let mut state = 0x9E37_79B9_u64 ^ u64::try_from(length).unwrap_or(0);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let index = usize::try_from(state >> 40).unwrap_or(0) % alphabet.len();
        char::from(alphabet.as_bytes()[index])
    };
    (0..length).map(|_| next()).collect()
}

fn read_list(text: &str) -> Vec<ListEntry> {
    let mut entries = toml::from_str::<ListFile>(text).expect("a list").entries;
    for entry in &mut entries {
        entry.text = fill(&entry.text);
        entry.hidden = entry.hidden.as_deref().map(fill);
        entry.visible = entry.visible.as_deref().map(fill);
    }
    entries
}

/// The entry in redacted form.
fn redact(entry: &ListEntry) -> String {
    let redactor = Redactor::default();
    if entry.json {
        let json = Json::parse(&entry.text).unwrap_or_else(|e| panic!("{}: {e}", entry.text));
        redactor.redact_json(&json).map_or_else(|| entry.text.clone(), |less| less.json.as_str().to_owned())
    } else {
        redactor.redact_text(&entry.text).unwrap_or_else(|| entry.text.clone())
    }
}

/// The percentage of entries that fail, with a line for each.
fn failures(list: &str, fails: impl Fn(&ListEntry, &str) -> bool) -> (f64, Vec<String>) {
    let entries = read_list(list);
    let lines: Vec<_> = entries
        .iter()
        .map(|entry| (entry, redact(entry)))
        .filter(|(entry, less)| fails(entry, less))
        .map(|(entry, less)| format!("{}\n    became {less}", entry.text))
        .collect();
    let count = |length: usize| f64::from(u32::try_from(length).unwrap_or(u32::MAX));
    (100.0 * count(lines.len()) / count(entries.len()), lines)
}

fn shows_secret(entry: &ListEntry, less: &str) -> bool {
    less.contains(entry.hidden.as_deref().expect("an entry of secrets names the hidden part"))
}

fn is_changed(entry: &ListEntry, less: &str) -> bool {
    less != entry.text
}

/// Asserts that at most `limit` percent of the entries fail.
fn assert_rate(kind: &str, limit: f64, (rate, lines): (f64, Vec<String>)) {
    assert!(rate <= limit, "{rate:.1} % of the {kind} fail:\n{}", lines.join("\n"));
}

const SECRETS: &str = include_str!("lists/secrets.toml");
const INNOCENT: &str = include_str!("lists/innocent.toml");
const INNOCENT_KINDS: &str = include_str!("lists/innocent_kinds.toml");
const HELD_OUT_SECRETS: &str = include_str!("lists/secrets_held_out.toml");
const HELD_OUT_INNOCENT: &str = include_str!("lists/innocent_held_out.toml");

#[test]
fn listed_secrets_are_masked() {
    assert_rate("secrets", 5.0, failures(SECRETS, shows_secret));
}

#[test]
fn listed_innocent_texts_are_unchanged() {
    assert_rate("innocent texts", 0.0, failures(INNOCENT, is_changed));
}

#[test]
fn held_out_secrets_are_masked() {
    assert_rate("held-out secrets", 5.0, failures(HELD_OUT_SECRETS, shows_secret));
}

#[test]
fn held_out_innocent_texts_are_unchanged() {
    assert_rate("held-out innocent texts", 0.0, failures(HELD_OUT_INNOCENT, is_changed));
}

#[test]
fn innocent_texts_of_each_kind_are_unchanged() {
    assert_rate("innocent texts", 0.0, failures(INNOCENT_KINDS, is_changed));
}

#[test]
fn hostile_text_keeps_its_code_visible() {
    let hides = |entry: &ListEntry, less: &str| {
        !less.contains(entry.visible.as_deref().expect("a hostile entry names the visible part"))
    };
    assert_rate("hostile texts", 0.0, failures(include_str!("lists/hostile.toml"), hides));
}

#[test]
fn lists_hold_200_entries_each() {
    let count = |lists: [&str; 2]| lists.map(|list| read_list(list).len()).iter().sum::<usize>();
    assert!(count([SECRETS, HELD_OUT_SECRETS]) >= 200);
    assert!(count([INNOCENT, HELD_OUT_INNOCENT]) >= 200);
    assert!(read_list(INNOCENT_KINDS).len() >= 200);
}
