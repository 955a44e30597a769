//! Agents whose hooks are a plugin: a file that `install` writes, which runs the hook command for each tool call and
//! blocks the call after every failure. Its messages are those of `hook generic`.

use super::{
    coding_agent::{CodingAgent, CompanionFile, ServerConfigs},
    harmless_events::HarmlessEvents,
};
use crate::{
    config::{ConfigError, ConfigFormat},
    hook::{AnyProgram, HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram},
};

/// The part of every plugin that runs the hook command.
const SHARED: &str = include_str!("plugins/shared.js");

/// An agent with a plugin.
#[derive(Debug)]
pub(crate) struct PluginAgent {
    pub(super) name: &'static str,
    pub(super) program: &'static str,
    /// The plugin, in the home folder of a user.
    pub(super) of_user: &'static str,
    /// The plugin, in a project folder.
    pub(super) of_project: &'static str,
    /// The part of the plugin that the agent calls.
    pub(super) source: &'static str,
    pub(super) tried_version: Option<&'static str>,
    /// The events that the plugin handles, and the others.
    pub(super) covered: &'static [&'static str],
    pub(super) harmless: &'static [HarmlessEvents],
    pub(super) companions: &'static [(&'static str, &'static str)],
    pub(super) servers: ServerConfigs,
    pub(super) advice: &'static str,
}

impl HookProgram for PluginAgent {
    fn name(&self) -> &'static str {
        self.name
    }

    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        AnyProgram.parse_message(text)
    }

    fn encode_answer(&self, answer: &HookAnswer, event: HookEvent) -> Result<String, serde_json::Error> {
        AnyProgram.encode_answer(answer, event)
    }

    /// The plugin allows nothing by itself: the agent's own rules still apply to a call that it lets pass.
    fn has_own_rules(&self) -> bool {
        false
    }
}

impl CodingAgent for PluginAgent {
    fn program(&self) -> &'static str {
        self.program
    }

    fn installed_events(&self) -> &'static [&'static str] {
        &["before"]
    }

    fn covered_events(&self) -> &'static [&'static str] {
        self.covered
    }

    fn harmless_events(&self) -> &'static [HarmlessEvents] {
        self.harmless
    }

    fn tried_version(&self) -> Option<&'static str> {
        self.tried_version
    }

    fn blocks_garbled_answer(&self) -> bool {
        true
    }

    fn config_file(&self) -> &'static str {
        self.of_user
    }

    fn project_config_file(&self) -> &'static str {
        self.of_project
    }

    fn companions(&self, _: &str) -> Vec<CompanionFile> {
        self.companions.iter().map(|(name, text)| CompanionFile { name, text: (*text).to_owned() }).collect()
    }

    fn server_configs(&self) -> ServerConfigs {
        self.servers
    }

    fn config_format(&self) -> ConfigFormat {
        ConfigFormat::OwnFile
    }

    fn own_file(&self, command: &str) -> String {
        let quoted = serde_json::Value::from(command).to_string();
        format!("{}{}", SHARED.replace("\"@COMMAND@\"", &quoted), self.source)
    }

    fn has_hooks_disabled(&self, _: &str) -> Result<bool, ConfigError> {
        Ok(false)
    }

    fn failure_setting(&self) -> Option<&'static str> {
        Some("the plugin, which blocks the call without an answer")
    }

    fn probe_message(&self, folder: &str, id: &str) -> serde_json::Value {
        serde_json::json!({
            "thread": "countersign-verify", "id": id, "folder": folder, "tool": "bash", "arguments": {"command": "true"},
        })
    }

    fn advice(&self) -> &'static str {
        self.advice
    }
}
