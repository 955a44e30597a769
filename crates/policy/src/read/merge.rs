//! Merges the policy files. For each setting, the strictest value applies. If neither of two values is stricter, they
//! are an error.

use super::{
    files::PolicyFiles,
    node::{PolicyFault, TomlEntry, TomlItem, TomlNode},
    verdict::read_verdict,
};

/// The policy files as one table.
pub(super) struct MergedPolicy {
    pub(super) table: TomlNode,
    /// Whether a layer sets the time after which requests expire.
    pub(super) layer_expires: bool,
}

/// Merges the files' tables. The main file comes first.
pub(super) fn merge_files(
    tables: Vec<TomlNode>,
    files: &PolicyFiles<'_>,
) -> Result<MergedPolicy, PolicyFault> {
    let layer_expires = tables.iter().skip(1).flat_map(table_entries).any(|entry| entry.key == "expires");
    let at = tables.first().map_or(0, |table| table.at);
    let mut merged = Vec::new();
    for table in tables {
        for entry in into_entries(table, "a policy")? {
            merge_entry(&mut merged, entry, files)?;
        }
    }
    Ok(MergedPolicy { table: TomlNode { at, item: TomlItem::Table(merged) }, layer_expires })
}

fn table_entries(table: &TomlNode) -> &[TomlEntry] {
    match &table.item {
        TomlItem::Table(entries) => entries,
        _ => &[],
    }
}

/// Merges an entry with the same-key entry in an earlier file.
fn merge_entry(
    merged: &mut Vec<TomlEntry>,
    entry: TomlEntry,
    files: &PolicyFiles<'_>,
) -> Result<(), PolicyFault> {
    let Some(before) = merged.iter_mut().find(|before| before.key == entry.key) else {
        merged.push(entry);
        return Ok(());
    };
    match entry.key.as_str() {
        "default" | "changedTools" => keep_stricter_verdict(before, entry),
        "onMismatch" => {
            if entry.value.text("onMismatch")? == "stop" {
                *before = entry;
            }
            Ok(())
        }
        "expires" | "lapses" => keep_shorter_time(before, entry),
        "limits" => add_members(before, entry, keep_smaller_number),
        "rule" | "protect" | "advisor" => add_tables(before, entry),
        // Each entry is a rule, or adds to the knowledge about a tool, so entries with one key stay beside each other.
        "patterns" | "tools" => add_members(before, entry, |members, member| {
            members.push(member);
            Ok(())
        }),
        "groups" | "approvers" => {
            add_members(before, entry, |members, member| add_equal(members, member, files))
        }
        "zones" => add_members(before, entry, |members, member| merge_zone(members, member, files)),
        "redact" | "dangerous" => add_members(before, entry, |members, member| {
            add_values(members, member);
            Ok(())
        }),
        "approverKeys" | "levels" | "notify" | "observe" | "projectFolders" | "remember" | "trust"
        | "withdrawAfter" => require_equal(before, &entry, files),
        // An unknown key is reported when the merged table is read.
        _ => Ok(()),
    }
}

fn keep_stricter_verdict(before: &mut TomlEntry, entry: TomlEntry) -> Result<(), PolicyFault> {
    if read_verdict(&entry.value)? > read_verdict(&before.value)? {
        *before = entry;
    }
    Ok(())
}

fn keep_shorter_time(before: &mut TomlEntry, entry: TomlEntry) -> Result<(), PolicyFault> {
    if entry.value.duration(&entry.key)? < before.value.duration(&before.key)? {
        *before = entry;
    }
    Ok(())
}

/// Adds a number, or keeps the smaller one.
fn keep_smaller_number(members: &mut Vec<TomlEntry>, member: TomlEntry) -> Result<(), PolicyFault> {
    let Some(before) = members.iter_mut().find(|before| before.key == member.key) else {
        members.push(member);
        return Ok(());
    };
    if member.value.count(&member.key)? < before.value.count(&before.key)? {
        *before = member;
    }
    Ok(())
}

fn add_tables(before: &mut TomlEntry, entry: TomlEntry) -> Result<(), PolicyFault> {
    let key = before.key.clone();
    let wrong = |node: &TomlNode| node.fault(format!("write {key}s as [[{key}]], with two brackets"));
    let at = entry.value.fault("").at;
    match (&mut before.value.item, entry.value.item) {
        (TomlItem::List(rules), TomlItem::List(more)) => rules.extend(more),
        (TomlItem::List(_), item) => return Err(wrong(&TomlNode { at, item })),
        _ => return Err(wrong(&before.value)),
    }
    Ok(())
}

/// Adds table members one by one.
fn add_members(
    before: &mut TomlEntry,
    entry: TomlEntry,
    add: impl Fn(&mut Vec<TomlEntry>, TomlEntry) -> Result<(), PolicyFault>,
) -> Result<(), PolicyFault> {
    let members = into_entries(entry.value, &entry.key)?;
    match &mut before.value.item {
        TomlItem::Table(merged) => members.into_iter().try_for_each(|member| add(merged, member)),
        _ => Err(before.value.fault(format!("{} must be a table, not {}", before.key, before.value.kind()))),
    }
}

fn into_entries(table: TomlNode, what: &str) -> Result<Vec<TomlEntry>, PolicyFault> {
    match table.item {
        TomlItem::Table(entries) => Ok(entries),
        _ => Err(table.fault(format!("{what} must be a table, not {}", table.kind()))),
    }
}

/// Adds a member, or checks that an earlier file defines it in the same way.
fn add_equal(
    members: &mut Vec<TomlEntry>,
    member: TomlEntry,
    files: &PolicyFiles<'_>,
) -> Result<(), PolicyFault> {
    if let Some(before) = members.iter().find(|before| before.key == member.key) {
        return require_equal(before, &member, files);
    }
    members.push(member);
    Ok(())
}

fn require_equal(before: &TomlEntry, entry: &TomlEntry, files: &PolicyFiles<'_>) -> Result<(), PolicyFault> {
    if before.value.canonical_text() == entry.value.canonical_text() {
        return Ok(());
    }
    let position = files.position(before.at);
    let file = position.file.unwrap_or_default();
    let why = format!(
        "`{}` has another value in {file}, line {}; define it in one of the two files",
        entry.key, position.line
    );
    Err(PolicyFault { at: entry.at, why })
}

/// Adds values to the list from an earlier file. Each value makes the policy stricter.
fn add_values(members: &mut Vec<TomlEntry>, member: TomlEntry) {
    let Some(before) = members.iter_mut().find(|before| before.key == member.key) else {
        members.push(member);
        return;
    };
    let at = before.value.at;
    let first = std::mem::replace(&mut before.value.item, TomlItem::List(Vec::new()));
    let mut values = into_values(TomlNode { at, item: first });
    values.extend(into_values(member.value));
    before.value.item = TomlItem::List(values);
}

fn into_values(node: TomlNode) -> Vec<TomlNode> {
    match node.item {
        TomlItem::List(values) => values,
        _ => vec![node],
    }
}

/// Adds zone operations. The stricter verdict on an operation applies.
fn merge_zone(
    zones: &mut Vec<TomlEntry>,
    zone: TomlEntry,
    files: &PolicyFiles<'_>,
) -> Result<(), PolicyFault> {
    let Some(before) = zones.iter_mut().find(|before| before.key == zone.key) else {
        zones.push(zone);
        return Ok(());
    };
    add_members(before, zone, |operations, operation| {
        if ["root", "reason"].contains(&operation.key.as_str()) {
            return add_equal(operations, operation, files);
        }
        if let Some(before) = operations.iter_mut().find(|before| before.key == operation.key) {
            return keep_stricter_verdict(before, operation);
        }
        operations.push(operation);
        Ok(())
    })
}
