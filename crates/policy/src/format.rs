//! Laying a policy out as every policy is laid out, with its comments, so that differences between two
//! versions are differences in meaning.

use crate::{
    policy::Policy,
    read::{BadPolicy, TomlNode},
};
use toml::de::DeTable;
use toml_edit::{Array, ArrayOfTables, Decor, DocumentMut, Item, RawString, Table, Value};

/// The widest line that a list is laid out on.
const WIDTH: usize = 100;

/// In which order keys stand; those that are not named here keep theirs, after these.
const ORDER: &[&str] = &[
    "default",
    "expires",
    "lapses",
    "remember",
    "levels",
    "name",
    "root",
    "tool",
    "thread",
    "principal",
    "annotations",
    "impact",
    "zone",
    "operation",
    "command",
    "url",
    "path",
    "args",
    "when",
    "unless",
    "verdict",
    "reason",
    "shadow",
    "onExpiry",
    "level",
    "defaultLevel",
    "quorum",
    "denials",
    "approvers",
    "remindAfter",
    "escalateAfter",
    "escalateTo",
    "examples",
];

/// Tables whose keys are the operator's own words. They keep their order: the first of several rules that
/// say the same is the one that is named.
const OWN: &[&str] = &["patterns", "groups", "approvers"];

/// Lays a policy out. It means the same, and laying it out again changes nothing.
pub fn format(text: &str) -> Result<String, BadPolicy> {
    let policy = Policy::read(text)?;
    let mut document: DocumentMut = text.parse().map_err(|e| BadPolicy::Unreadable(format!("{e}")))?;
    let mut first = true;
    let head = head(document.as_table_mut());
    lay_out(document.as_table_mut(), &mut first, true);
    let trailing = comments(document.trailing(), false);
    document.set_trailing(if trailing.is_empty() { String::new() } else { format!("\n{trailing}") });
    let mut laid_out = format!("{head}{}", document.to_string().trim_start_matches('\n'));
    if !laid_out.is_empty() {
        laid_out.truncate(laid_out.trim_end().len());
        laid_out.push('\n');
    }
    // Layout never costs meaning: where it would, the text stays as it is.
    let names = |policy: &Policy| policy.rules.iter().map(|rule| rule.name.clone()).collect::<Vec<_>>();
    let same = meaning(&laid_out) == meaning(text)
        && Policy::read(&laid_out).is_ok_and(|laid_out| names(&laid_out) == names(&policy));
    Ok(if same { laid_out } else { text.to_owned() })
}

/// Takes the comment away that is about the whole file: one before the first key, with an empty line after it.
fn head(table: &mut Table) -> String {
    let first = table.iter().next().filter(|(_, item)| item.is_value()).map(|(key, _)| key.to_owned());
    let Some(mut key) = first.and_then(|key| table.key_mut(&key)) else { return String::new() };
    let before = key.leaf_decor().prefix().map_or_else(String::new, |prefix| comments(prefix, false));
    match before.rsplit_once("\n\n") {
        Some((head, rest)) => {
            let (head, rest) = (format!("{head}\n\n"), rest.to_owned());
            key.leaf_decor_mut().set_prefix(rest);
            head
        }
        None => String::new(),
    }
}

fn meaning(text: &str) -> Option<String> {
    DeTable::parse(text).ok().map(|table| TomlNode::of_toml(&table).plain())
}

/// Lays out the keys of a table, in their order if it has one, and then the tables in it.
fn lay_out(table: &mut Table, first: &mut bool, ordered: bool) {
    if ordered {
        table.sort_values_by(|a, _, b, _| rank(a.get()).cmp(&rank(b.get())));
    }
    let mut begins = true;
    for (mut key, item) in table.iter_mut() {
        if let Item::Value(value) = item {
            let before =
                key.leaf_decor().prefix().map_or_else(String::new, |prefix| comments(prefix, !begins));
            *key.leaf_decor_mut() = Decor::new(before, " ");
            plain(value);
            (begins, *first) = (false, false);
        }
    }
    for (key, item) in table.iter_mut() {
        match item {
            Item::Table(inner) if !inner.is_dotted() => header(inner, first, !OWN.contains(&key.get())),
            Item::ArrayOfTables(array) => each(array, first),
            _ => {}
        }
    }
}

fn each(array: &mut ArrayOfTables, first: &mut bool) {
    for table in array.iter_mut() {
        header(table, first, true);
    }
}

/// One empty line before each table, but for the first thing of all.
fn header(table: &mut Table, first: &mut bool, ordered: bool) {
    if !table.is_implicit() {
        let before = table.decor().prefix().map_or_else(String::new, |prefix| comments(prefix, false));
        let after = table.decor().suffix().map_or_else(String::new, trailing);
        let gap = if *first { "" } else { "\n" };
        *table.decor_mut() = Decor::new(format!("{gap}{before}"), after);
        *first = false;
    }
    lay_out(table, first, ordered);
}

fn rank(key: &str) -> usize {
    ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len())
}

/// A value on one line if it fits, else a list with a line for each element. One with comments in it stays.
fn plain(value: &mut Value) {
    let after = value.decor().suffix().map_or_else(String::new, trailing);
    if !has_inner_comment(value) {
        tidy(value);
        if let Value::Array(array) = value
            && array.to_string().len() > WIDTH
        {
            spread(array);
        }
    }
    *value.decor_mut() = Decor::new(" ", after);
}

fn tidy(value: &mut Value) {
    match value {
        Value::Array(array) => {
            for inner in array.iter_mut() {
                tidy(inner);
            }
            array.fmt();
            array.set_trailing("");
            array.set_trailing_comma(false);
        }
        Value::InlineTable(table) => {
            for (_, inner) in table.iter_mut() {
                tidy(inner);
            }
            table.fmt();
            table.set_trailing("");
            table.set_trailing_comma(false);
        }
        _ => value.decor_mut().clear(),
    }
}

fn spread(array: &mut Array) {
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

/// The comment at the end of a line.
fn trailing(text: &RawString) -> String {
    let comment = text.as_str().unwrap_or_default().trim();
    if comment.is_empty() { String::new() } else { format!("  {comment}") }
}

/// The comments before something, each on a line of its own; empty lines between them become one.
fn comments(text: &RawString, keep_gap: bool) -> String {
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
