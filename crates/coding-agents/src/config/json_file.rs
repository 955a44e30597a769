//! A configuration in JSON, whose order, layout and comments stay.

use super::{
    error::ConfigError,
    format::JsonEntries,
    installed_hook::{HOOK_TIMEOUT_SECONDS, InstalledHook, is_own},
};
use crate::agents::CodingAgent;
use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode},
};

/// Parses a configuration. Comments are accepted: Gemini CLI has them. An empty text is an empty object.
fn parse(text: &str) -> Result<(CstRootNode, CstObject), ConfigError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &options).map_err(|why| ConfigError::Syntax(why.to_string()))?;
    let object = root.object_value().ok_or_else(|| wrong_type("the configuration", "an object"))?;
    Ok((root, object))
}

fn wrong_type(place: &str, expected: &'static str) -> ConfigError {
    ConfigError::WrongType { place: place.to_owned(), expected }
}

/// The object that holds the events, if there is one.
fn hooks_object(object: &CstObject, name: &str) -> Result<Option<CstObject>, ConfigError> {
    match object.get(name) {
        None => Ok(None),
        Some(property) => property.object_value().map(Some).ok_or_else(|| wrong_type(name, "an object")),
    }
}

/// The list for an event, if there is one.
fn event_list(hooks: &CstObject, event: &str) -> Result<Option<CstArray>, ConfigError> {
    match hooks.get(event) {
        None => Ok(None),
        Some(property) => {
            property.array_value().map(Some).ok_or_else(|| wrong_type(&format!("hooks.{event}"), "a list"))
        }
    }
}

/// The member source.
fn member_text(object: &CstObject, name: &str) -> Option<String> {
    object.get(name)?.value()?.as_string_lit()?.decoded_value().ok()
}

/// The Countersign hooks among an event's entries, each with the group that it is in; without groups, with itself.
fn own_entries(
    list: &CstArray,
    agent: &dyn CodingAgent,
    form: JsonEntries,
    event: &str,
) -> Result<Vec<(CstObject, CstObject)>, ConfigError> {
    let is_own_entry =
        |entry: &CstObject| member_text(entry, "command").is_some_and(|command| is_own(&command, agent));
    let mut found = Vec::new();
    for group in list.elements().iter().filter_map(CstNode::as_object) {
        if !form.is_grouped {
            found.extend(is_own_entry(&group).then(|| (group.clone(), group)));
            continue;
        }
        let Some(property) = group.get("hooks") else { continue };
        let entries =
            property.array_value().ok_or_else(|| wrong_type(&format!("hooks.{event}[].hooks"), "a list"))?;
        let entries = entries.elements();
        let own = entries.iter().filter_map(CstNode::as_object).filter(is_own_entry);
        found.extend(own.map(|entry| (group.clone(), entry)));
    }
    Ok(found)
}

pub(super) fn find_hooks(
    agent: &dyn CodingAgent,
    form: JsonEntries,
    text: &str,
) -> Result<Vec<InstalledHook>, ConfigError> {
    let (_, object) = parse(text)?;
    let Some(hooks) = hooks_object(&object, form.group)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for event in agent.installed_events() {
        let Some(list) = event_list(&hooks, event)? else { continue };
        for (_, entry) in own_entries(&list, agent, form, event)? {
            let number = entry.get("timeout").and_then(|timeout| timeout.value());
            let number = number.and_then(|number| number.to_string().parse::<u64>().ok());
            found.push(InstalledHook {
                event: (*event).to_owned(),
                command: member_text(&entry, "command").unwrap_or_default(),
                timeout_seconds: number.map(|number| number / form.units_per_second),
                blocks_on_failure: blocks_on_failure(&entry, form),
            });
        }
    }
    Ok(found)
}

/// The commands of hooks before a tool that are not those of Countersign.
pub(super) fn find_other_hooks(
    agent: &dyn CodingAgent,
    form: JsonEntries,
    text: &str,
) -> Result<Vec<String>, ConfigError> {
    let (_, object) = parse(text)?;
    let Some(hooks) = hooks_object(&object, form.group)? else { return Ok(Vec::new()) };
    let Some(list) = event_list(&hooks, agent.blocking_event())? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for group in list.elements().iter().filter_map(CstNode::as_object) {
        let entries = group.get("hooks").and_then(|property| property.array_value());
        let entries = entries.map_or_else(
            || vec![group.clone()],
            |entries| entries.elements().iter().filter_map(CstNode::as_object).collect(),
        );
        let commands = entries.iter().filter_map(|entry| member_text(entry, "command"));
        found.extend(commands.filter(|command| !is_own(command, agent)));
    }
    Ok(found)
}

fn blocks_on_failure(entry: &CstObject, form: JsonEntries) -> bool {
    let setting = entry.get(form.on_failure).and_then(|property| property.value());
    setting.and_then(|value| value.as_boolean_lit()).is_some_and(|value| value.value())
        || member_text(entry, form.on_failure).as_deref() == Some("block")
}

pub(super) fn add_hooks(
    agent: &dyn CodingAgent,
    form: JsonEntries,
    text: &str,
    command: &str,
) -> Result<String, ConfigError> {
    let (root, object) = parse(text)?;
    hooks_object(&object, form.group)?;
    if !form.is_grouped && object.get("version").is_none() {
        object.append("version", CstInputValue::Number("1".to_owned()));
    }
    let hooks = object.object_value_or_set(form.group);
    for event in agent.installed_events() {
        event_list(&hooks, event)?;
        let list = hooks.array_value_or_set(event);
        list.ensure_multiline();
        list.append(hook_group(agent, form, command));
    }
    let text = root.to_string();
    Ok(if text.ends_with('\n') { text } else { format!("{text}\n") })
}

/// A group that runs the hook for each tool; without groups, the hook itself.
fn hook_group(agent: &dyn CodingAgent, form: JsonEntries, command: &str) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let timeout = u64::from(HOOK_TIMEOUT_SECONDS) * form.units_per_second;
    let mut entry = vec![
        ("command".to_owned(), text(command)),
        ("timeout".to_owned(), CstInputValue::Number(timeout.to_string())),
    ];
    if form.has_type {
        entry.insert(0, ("type".to_owned(), text("command")));
    }
    if agent.failure_setting().is_some() {
        let block = if form.is_grouped { text("block") } else { CstInputValue::Bool(true) };
        entry.push((form.on_failure.to_owned(), block));
    }
    if !form.is_grouped {
        return CstInputValue::Object(entry);
    }
    let entries = CstInputValue::Array(vec![CstInputValue::Object(entry)]);
    let matcher = form.matcher.map(|matcher| ("matcher".to_owned(), text(matcher)));
    CstInputValue::Object(matcher.into_iter().chain([("hooks".to_owned(), entries)]).collect())
}

pub(super) fn remove_hooks(
    agent: &dyn CodingAgent,
    form: JsonEntries,
    text: &str,
) -> Result<String, ConfigError> {
    let (root, object) = parse(text)?;
    let Some(hooks) = hooks_object(&object, form.group)? else { return Ok(text.to_owned()) };
    for event in agent.installed_events() {
        let Some(list) = event_list(&hooks, event)? else { continue };
        for (group, entry) in own_entries(&list, agent, form, event)? {
            entry.remove();
            if group.array_value("hooks").is_some_and(|entries| entries.elements().is_empty()) {
                group.remove();
            }
        }
        if list.elements().is_empty()
            && let Some(property) = hooks.get(event)
        {
            property.remove();
        }
    }
    if hooks.properties().is_empty()
        && let Some(property) = object.get(form.group)
    {
        property.remove();
    }
    Ok(root.to_string())
}

/// Returns true if the member at this path has this value.
pub(crate) fn has_flag(text: &str, path: &[&str], value: bool) -> Result<bool, ConfigError> {
    let (_, mut object) = parse(text)?;
    let Some((last, folders)) = path.split_last() else { return Ok(false) };
    for name in folders {
        match object.object_value(name) {
            Some(inner) => object = inner,
            None => return Ok(false),
        }
    }
    let found = object.get(last).and_then(|property| property.value());
    Ok(found.and_then(|found| found.as_boolean_lit()).is_some_and(|found| found.value() == value))
}

/// Returns true if the list at this path has entries, or if something else than a list stands there.
pub(crate) fn has_entries(text: &str, path: &[&str]) -> Result<bool, ConfigError> {
    let (_, mut object) = parse(text)?;
    let Some((last, folders)) = path.split_last() else { return Ok(false) };
    for name in folders {
        match object.get(name) {
            None => return Ok(false),
            Some(property) => {
                object = property.object_value().ok_or_else(|| wrong_type(name, "an object"))?;
            }
        }
    }
    let Some(property) = object.get(last) else { return Ok(false) };
    Ok(property.array_value().is_none_or(|list| !list.elements().is_empty()))
}
