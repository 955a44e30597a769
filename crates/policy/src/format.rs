//! Formats a policy and keeps its comments. Two formatted versions then differ only where their meaning
//! differs.

use crate::{BadPolicy, MAX_POLICY_BYTES, Policy, read::TomlNode};
use toml::de::DeTable;
use toml_edit::{Array, ArrayOfTables, Decor, DocumentMut, Item, RawString, Table, Value};

/// The longest list that stays on one line, in bytes.
const WIDTH: usize = 100;

/// The order of keys. Other keys follow in their original order.
const ORDER: &[&str] = &[
    "observe",
    "default",
    "expires",
    "lapses",
    "remember",
    "withdrawAfter",
    "approverKeys",
    "projectFolders",
    "changedTools",
    "onMismatch",
    "pendingPerThread",
    "pendingPerAgent",
    "levels",
    "name",
    "protocol",
    "root",
    "tool",
    "kind",
    "thread",
    "principal",
    "place",
    "inside",
    "annotations",
    "impact",
    "zone",
    "operation",
    "command",
    "url",
    "path",
    "access",
    "args",
    "when",
    "unless",
    "allowPrivate",
    "key",
    "model",
    "prompt",
    "promptFile",
    "policies",
    "policiesFile",
    "applies",
    "mode",
    "outcomes",
    "timeout",
    "concurrency",
    "cache",
    "minCases",
    "maxFalseAllows",
    "maxOverruled",
    "verdict",
    "advisor",
    "reason",
    "shadow",
    "onExpiry",
    "level",
    "defaultLevel",
    "quorum",
    "denials",
    "approvers",
    "proof",
    "decideIn",
    "remindAfter",
    "escalateAfter",
    "escalateTo",
    "examples",
];

/// Tables whose keys the operator chooses. They keep their order, because a judgement names the first of
/// several rules with the same verdict.
const UNSORTED: &[&str] = &["patterns", "groups", "approvers"];

/// Formats a policy. The meaning does not change, and formatting the result again does not change it.
pub fn format(text: &str) -> Result<String, BadPolicy> {
    let policy = Policy::read(text)?;
    let formatted = format_layer(text)?;
    let names = |policy: &Policy| policy.rules.iter().map(|rule| rule.name.clone()).collect::<Vec<_>>();
    // If the formatted text would have another meaning, return the original.
    let same = Policy::read(&formatted).is_ok_and(|formatted| names(&formatted) == names(&policy));
    Ok(if same { formatted } else { text.to_owned() })
}

/// Formats a layer, which may refer to groups and zones of other files and thus need not be a policy on its own.
pub fn format_layer(text: &str) -> Result<String, BadPolicy> {
    if text.len() > MAX_POLICY_BYTES {
        let bytes = text.len();
        return Err(BadPolicy::Unreadable(format!("it has {bytes} bytes; the limit is {MAX_POLICY_BYTES}")));
    }
    let mut document: DocumentMut = text.parse().map_err(|e| BadPolicy::Unreadable(format!("{e}")))?;
    let mut first = true;
    let head = take_file_comment(document.as_table_mut());
    format_table(document.as_table_mut(), &mut first, true);
    let trailing = format_comments(document.trailing(), false);
    document.set_trailing(if trailing.is_empty() { String::new() } else { format!("\n{trailing}") });
    let mut formatted = format!("{head}{}", document.to_string().trim_start_matches('\n'));
    if !formatted.is_empty() {
        formatted.truncate(formatted.trim_end().len());
        formatted.push('\n');
    }
    let same = normalized_meaning(&formatted) == normalized_meaning(text);
    Ok(if same { formatted } else { text.to_owned() })
}

/// Removes and returns the comment about the whole file: the one before the first key, if an empty line follows it.
fn take_file_comment(table: &mut Table) -> String {
    let first = table.iter().next().filter(|(_, item)| item.is_value()).map(|(key, _)| key.to_owned());
    let Some(mut key) = first.and_then(|key| table.key_mut(&key)) else { return String::new() };
    let before = key.leaf_decor().prefix().map_or_else(String::new, |prefix| format_comments(prefix, false));
    match before.rsplit_once("\n\n") {
        Some((head, rest)) => {
            let (head, rest) = (format!("{head}\n\n"), rest.to_owned());
            key.leaf_decor_mut().set_prefix(rest);
            head
        }
        None => String::new(),
    }
}

fn normalized_meaning(text: &str) -> Option<String> {
    DeTable::parse(text).ok().map(|table| TomlNode::from_toml(&table).canonical_text())
}

/// Formats the table keys, sorted if `ordered`, and then its inner tables.
fn format_table(table: &mut Table, first: &mut bool, ordered: bool) {
    if ordered {
        table.sort_values_by(|a, _, b, _| key_rank(a.get()).cmp(&key_rank(b.get())));
    }
    let mut begins = true;
    for (mut key, item) in table.iter_mut() {
        if let Item::Value(value) = item {
            let before =
                key.leaf_decor().prefix().map_or_else(String::new, |prefix| format_comments(prefix, !begins));
            *key.leaf_decor_mut() = Decor::new(before, " ");
            format_value(value);
            (begins, *first) = (false, false);
        }
    }
    for (key, item) in table.iter_mut() {
        match item {
            Item::Table(inner) if !inner.is_dotted() => {
                format_header(inner, first, !UNSORTED.contains(&key.get()));
            }
            Item::ArrayOfTables(array) => format_array(array, first),
            _ => {}
        }
    }
}

fn format_array(array: &mut ArrayOfTables, first: &mut bool) {
    for table in array.iter_mut() {
        format_header(table, first, true);
    }
}

/// Puts one empty line before each table, except at the file's start.
fn format_header(table: &mut Table, first: &mut bool, ordered: bool) {
    if !table.is_implicit() {
        let before = table.decor().prefix().map_or_else(String::new, |prefix| format_comments(prefix, false));
        let after = table.decor().suffix().map_or_else(String::new, format_line_comment);
        let gap = if *first { "" } else { "\n" };
        *table.decor_mut() = Decor::new(format!("{gap}{before}"), after);
        *first = false;
    }
    format_table(table, first, ordered);
}

fn key_rank(key: &str) -> usize {
    ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len())
}

/// Puts a value on one line, or splits a long list into one line for each element. A value that contains
/// comments stays unchanged.
fn format_value(value: &mut Value) {
    let after = value.decor().suffix().map_or_else(String::new, format_line_comment);
    if !has_inner_comment(value) {
        normalize_spaces(value);
        if let Value::Array(array) = value
            && array.to_string().len() > WIDTH
        {
            split_lines(array);
        }
    }
    *value.decor_mut() = Decor::new(" ", after);
}

fn normalize_spaces(value: &mut Value) {
    match value {
        Value::Array(array) => {
            for inner in array.iter_mut() {
                normalize_spaces(inner);
            }
            array.fmt();
            array.set_trailing("");
            array.set_trailing_comma(false);
        }
        Value::InlineTable(table) => {
            for (_, inner) in table.iter_mut() {
                normalize_spaces(inner);
            }
            table.fmt();
            table.set_trailing("");
            table.set_trailing_comma(false);
        }
        _ => value.decor_mut().clear(),
    }
}

fn split_lines(array: &mut Array) {
    for inner in array.iter_mut() {
        inner.decor_mut().set_prefix("\n    ");
    }
    array.set_trailing("\n");
    array.set_trailing_comma(true);
}

fn has_inner_comment(value: &Value) -> bool {
    match value {
        Value::Array(array) => {
            has_comment(array.trailing())
                || array.iter().any(|inner| has_own_comment(inner.decor()) || has_inner_comment(inner))
        }
        Value::InlineTable(table) => {
            has_comment(table.trailing())
                || table.iter().any(|(key, inner)| {
                    has_own_comment(inner.decor())
                        || has_inner_comment(inner)
                        || table.key(key).is_some_and(|key| has_own_comment(key.leaf_decor()))
                })
        }
        _ => false,
    }
}

fn has_own_comment(decor: &Decor) -> bool {
    [decor.prefix(), decor.suffix()].into_iter().flatten().any(has_comment)
}

fn has_comment(text: &RawString) -> bool {
    text.as_str().is_none_or(|text| text.contains('#'))
}

/// Formats a trailing comment.
fn format_line_comment(text: &RawString) -> String {
    let comment = text.as_str().unwrap_or_default().trim();
    if comment.is_empty() { String::new() } else { format!("  {comment}") }
}

/// Formats the comments before a key or table, each on its own line, and reduces several empty lines to one.
fn format_comments(text: &RawString, keep_gap: bool) -> String {
    let mut out = String::new();
    let mut gap = false;
    for line in text.as_str().unwrap_or_default().lines().map(str::trim) {
        if line.is_empty() {
            gap = true;
            continue;
        }
        if gap && (keep_gap || !out.is_empty()) {
            out.push('\n');
        }
        gap = false;
        out.push_str(line);
        out.push('\n');
    }
    if gap && (keep_gap || !out.is_empty()) { out + "\n" } else { out }
}
