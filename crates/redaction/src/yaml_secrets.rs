//! Finds the values of Kubernetes Secrets in YAML: the entries below `data:` and `stringData:` of a document whose
//! `kind` is `Secret`.

use super::{
    keys::KeyJudgement,
    literal::{is_literal_byte, is_secret},
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

static KIND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m-u)^[ \t-]{0,32}kind:[ \t]{1,8}["']?Secret["']?[ \t\r]{0,8}$"#)
        .expect("a constant pattern")
});

static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?-u)^[ \t]*["']?[A-Za-z0-9_.-]{1,253}["']?:[ \t]+["']?"#).expect("a constant pattern")
});

pub(crate) fn find_yaml_secrets(text: &str, spans: &mut Vec<Range<usize>>) {
    if !text.contains("kind:") {
        return;
    }
    let mut start = 0;
    for document in text.split_inclusive("\n---") {
        if KIND.is_match(document) {
            find_entries(document, start, spans);
        }
        start += document.len();
    }
}

/// Finds the entries in one document, which starts at `offset`.
fn find_entries(document: &str, offset: usize, spans: &mut Vec<Range<usize>>) {
    let (mut at, mut section) = (offset, None);
    for line in document.split_inclusive('\n') {
        let content = line.trim_end();
        let indent = content.len() - content.trim_start().len();
        match section {
            _ if matches!(content.trim(), "data:" | "stringData:") => section = Some(indent),
            Some(outer) if indent > outer => {
                spans.extend(entry_value(content).map(|value| at + value.start..at + value.end));
            }
            Some(_) if !content.is_empty() => section = None,
            _ => {}
        }
        at += line.len();
    }
}

/// The entry value, or the only word in a block line.
fn entry_value(line: &str) -> Option<Range<usize>> {
    let start = ENTRY.find(line).map_or(line.len() - line.trim_start().len(), |entry| entry.end());
    let end = line.trim_end_matches(['"', '\'']).len();
    let value = line.get(start..end)?;
    let block = matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+");
    let literal = value.bytes().all(is_literal_byte);
    (literal && !block && is_secret(KeyJudgement::Chosen, value)).then_some(start..end)
}
