//! The configuration of Codex: TOML, whose order, layout and comments stay. Codex has `[[hooks.EVENT]]` with
//! `[[hooks.EVENT.hooks]]`, and time-outs in seconds.

use super::{
    error::ConfigError,
    installed_hook::{InstalledHook, hook_timeout, is_own},
};
use crate::agents::CodingAgent;
use std::path::{Path, PathBuf};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, value};

fn parse(text: &str) -> Result<DocumentMut, ConfigError> {
    // The message would repeat the line, which may contain a key.
    text.parse::<DocumentMut>().map_err(|why| ConfigError::Syntax(why.message().to_owned()))
}

fn wrong_type(place: String, expected: &'static str) -> ConfigError {
    ConfigError::WrongType { place, expected }
}

/// The table `hooks`, if there is one.
fn hooks_table(document: &DocumentMut) -> Result<Option<&Table>, ConfigError> {
    match document.get("hooks") {
        None => Ok(None),
        Some(item) => {
            item.as_table().map(Some).ok_or_else(|| wrong_type("hooks".to_owned(), "a table of its own"))
        }
    }
}

/// The groups for an event, if there are any.
fn event_groups<'a>(hooks: &'a Table, event: &str) -> Result<Option<&'a ArrayOfTables>, ConfigError> {
    match hooks.get(event) {
        None => Ok(None),
        Some(item) => item
            .as_array_of_tables()
            .map(Some)
            .ok_or_else(|| wrong_type(format!("hooks.{event}"), "written as [[…]]")),
    }
}

fn is_own_entry(entry: &dyn TableLike, agent: &dyn CodingAgent) -> bool {
    entry.get("command").and_then(Item::as_str).is_some_and(|command| is_own(command, agent))
}

pub(crate) fn find_hooks(agent: &dyn CodingAgent, text: &str) -> Result<Vec<InstalledHook>, ConfigError> {
    let document = parse(text)?;
    let Some(hooks) = hooks_table(&document)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for event in agent.installed_events() {
        let Some(groups) = event_groups(hooks, event)? else { continue };
        let entries = groups.iter().filter_map(|group| group.get("hooks")?.as_array_of_tables());
        for entry in entries.flat_map(ArrayOfTables::iter).filter(|entry| is_own_entry(*entry, agent)) {
            let timeout = entry.get("timeout").and_then(Item::as_integer);
            found.push(InstalledHook {
                event: (*event).to_owned(),
                command: entry.get("command").and_then(Item::as_str).unwrap_or_default().to_owned(),
                timeout_seconds: timeout.and_then(|timeout| u64::try_from(timeout).ok()),
                blocks_on_failure: false,
            });
        }
    }
    Ok(found)
}

pub(crate) fn add_hooks(agent: &dyn CodingAgent, text: &str, command: &str) -> Result<String, ConfigError> {
    let mut document = parse(text)?;
    if let Some(hooks) = hooks_table(&document)? {
        for event in agent.installed_events() {
            event_groups(hooks, event)?;
        }
    }
    let hooks = document.entry("hooks").or_insert_with(|| {
        let mut hooks = Table::new();
        hooks.set_implicit(true);
        Item::Table(hooks)
    });
    let Some(hooks) = hooks.as_table_mut() else {
        return Err(wrong_type("hooks".to_owned(), "a table of its own"));
    };
    for event in agent.installed_events() {
        let groups = hooks.entry(event).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        if let Some(groups) = groups.as_array_of_tables_mut() {
            groups.push(hook_group(command, hook_timeout(agent, event)));
        }
    }
    Ok(document.to_string())
}

/// A group without a matcher, so that the hook runs for each tool.
fn hook_group(command: &str, timeout: u32) -> Table {
    let mut entry = Table::new();
    entry.insert("type", value("command"));
    entry.insert("command", value(command));
    entry.insert("timeout", value(i64::from(timeout)));
    let mut entries = ArrayOfTables::new();
    entries.push(entry);
    let mut group = Table::new();
    group.insert("hooks", Item::ArrayOfTables(entries));
    group
}

pub(crate) fn remove_hooks(agent: &dyn CodingAgent, text: &str) -> Result<String, ConfigError> {
    let mut document = parse(text)?;
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_mut) else {
        return Ok(text.to_owned());
    };
    for event in agent.installed_events() {
        let Some(groups) = hooks.get_mut(event).and_then(Item::as_array_of_tables_mut) else { continue };
        for group in groups.iter_mut() {
            if let Some(entries) = group.get_mut("hooks").and_then(Item::as_array_of_tables_mut) {
                entries.retain(|entry| !is_own_entry(entry, agent));
            }
        }
        let is_empty = |group: &Table| {
            group.get("hooks").and_then(Item::as_array_of_tables).is_some_and(ArrayOfTables::is_empty)
        };
        groups.retain(|group| !is_empty(group));
        if groups.is_empty() {
            hooks.remove(event);
        }
    }
    if hooks.is_empty() {
        document.remove("hooks");
    }
    Ok(document.to_string())
}

pub(crate) fn has_hooks_disabled(text: &str) -> Result<bool, ConfigError> {
    let document = parse(text)?;
    let flag = |name: &str| document.get("features").and_then(|features| features.get(name)?.as_bool());
    Ok(flag("hooks").or_else(|| flag("codex_hooks")) == Some(false))
}

/// Whether the hook before a tool in the file at `path` was trusted by a person. Codex keeps that in the user's
/// configuration: `hooks.state."PATH:EVENT:GROUP:HANDLER"` with `trusted_hash` (0.169). The hash is not checked, so a
/// hook that was changed after that is treated as trusted.
pub(crate) fn is_trusted(
    agent: &dyn CodingAgent,
    text: &str,
    path: &Path,
    user_text: &str,
) -> Result<bool, ConfigError> {
    let document = parse(text)?;
    let Some(hooks) = hooks_table(&document)? else { return Ok(false) };
    let Some(groups) = event_groups(hooks, agent.blocking_event())? else { return Ok(false) };
    let places = groups.iter().enumerate().filter_map(|(group, table)| {
        let entries = table.get("hooks")?.as_array_of_tables()?;
        let handler = entries.iter().position(|entry| is_own_entry(entry, agent))?;
        Some(format!("pre_tool_use:{group}:{handler}"))
    });
    let places: Vec<_> = places.collect();
    let user = parse(user_text)?;
    let state = user.get("hooks").and_then(|hooks| hooks.get("state")).and_then(Item::as_table_like);
    let is_for_hook = |key: &str| {
        let mut parts = key.rsplitn(4, ':');
        let place: Vec<_> = parts.by_ref().take(3).collect();
        let place = place.into_iter().rev().collect::<Vec<_>>().join(":");
        let file = parts.next().map(PathBuf::from);
        places.contains(&place)
            && file.is_some_and(|file| file == path || file.canonicalize().is_ok_and(|file| file == path))
    };
    let mut entries = state.into_iter().flat_map(TableLike::iter).filter(|(key, _)| is_for_hook(key));
    Ok(entries.any(|(_, entry)| {
        entry.get("trusted_hash").is_some_and(Item::is_str)
            && entry.get("enabled").and_then(Item::as_bool) != Some(false)
    }))
}
