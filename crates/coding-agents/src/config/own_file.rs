//! A file that holds nothing but the hook.

use super::{
    error::ConfigError,
    installed_hook::{HOOK_TIMEOUT_SECONDS, InstalledHook},
};
use crate::agents::CodingAgent;

/// What every such file says.
const MARK: &str = "Written by `countersign install`";

/// The start of the line that holds the command of a plugin, as JSON. In a script, the command is the last line.
const COMMAND: &str = "const COMMAND = ";

/// Whether Countersign wrote this text.
#[must_use]
pub fn is_own_file(text: &str) -> bool {
    text.contains(MARK)
}

pub(super) fn find_hooks(agent: &dyn CodingAgent, text: &str) -> Vec<InstalledHook> {
    if !is_own_file(text) {
        return Vec::new();
    }
    let in_plugin = text.lines().find_map(|line| line.strip_prefix(COMMAND)?.strip_suffix(';'));
    let command = in_plugin.map_or_else(
        || text.lines().last().unwrap_or_default().to_owned(),
        |json| serde_json::from_str(json).unwrap_or_default(),
    );
    let is_unchanged = agent.own_file(&command) == text;
    agent
        .installed_events()
        .iter()
        .map(|event| InstalledHook {
            event: (*event).to_owned(),
            command: command.clone(),
            timeout_seconds: Some(u64::from(HOOK_TIMEOUT_SECONDS)),
            // The file itself blocks, if nobody changed it.
            blocks_on_failure: is_unchanged && agent.failure_setting().is_some(),
        })
        .collect()
}

pub(super) fn add_hooks(agent: &dyn CodingAgent, text: &str, command: &str) -> Result<String, ConfigError> {
    if text.trim().is_empty() {
        return Ok(agent.own_file(command));
    }
    Err(ConfigError::WrongType {
        place: "the file".to_owned(),
        expected: "one that `countersign install` wrote",
    })
}
