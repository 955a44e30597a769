//! What Countersign knows of a coding agent.

use super::harmless_events::HarmlessEvents;
use crate::{
    config::{ConfigError, ConfigFormat},
    hook::HookProgram,
};
use std::{fmt, path::Path};

/// The files, relative to a folder, that configure MCP servers.
#[derive(Debug, Clone, Copy)]
pub struct ServerConfigs {
    /// In the home folder of a user.
    pub of_user: &'static str,
    /// In a project folder.
    pub of_project: &'static str,
}

/// A further file of the hooks, beside the configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanionFile {
    /// Its path, relative to the folder of the configuration file.
    pub name: &'static str,
    /// Its content.
    pub text: String,
}

/// The end of a hook command for agents that exit code 2 stops.
const EXIT_GUARD: &str = "|| { echo 'countersign: the call is blocked' >&2; exit 2; }";

/// A coding agent whose configuration can hold the hooks of Countersign.
pub trait CodingAgent: HookProgram {
    /// The events whose hooks are installed, that before a tool first: its hook stops calls.
    fn installed_events(&self) -> &'static [&'static str];

    /// The events about which Countersign is asked or told, as the agent names them.
    fn covered_events(&self) -> &'static [&'static str] {
        self.installed_events()
    }

    /// The other events of the agent.
    fn harmless_events(&self) -> &'static [HarmlessEvents] {
        &[]
    }

    /// The configuration file, relative to a user's home folder or a project folder.
    fn config_file(&self) -> &'static str;

    /// The configuration file, relative to a project folder.
    fn project_config_file(&self) -> &'static str {
        self.config_file()
    }

    /// The program that starts the agent.
    fn program(&self) -> &'static str {
        self.name()
    }

    /// Further files, which exist only for the hooks with this command.
    fn companions(&self, _command: &str) -> Vec<CompanionFile> {
        Vec::new()
    }

    /// The whole configuration file with this command, if the format is [`ConfigFormat::OwnFile`].
    fn own_file(&self, _command: &str) -> String {
        String::new()
    }

    /// The end of each command. It makes every failure of the program block the call.
    fn guard(&self) -> &'static str {
        EXIT_GUARD
    }

    /// Options of each hook command.
    fn hook_options(&self) -> &'static [&'static str] {
        &[]
    }

    /// The fact that makes the agent block after its hook was killed, if only a time-out lets a call through.
    fn blocks_killed_hook(&self) -> Option<&'static str> {
        None
    }

    /// The version of the real program with which the tests of Countersign tried each case; `None` if its documentation alone
    /// says what it does.
    fn tried_version(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if the tests also let a hook freeze until its time-out.
    fn is_frozen_hook_tried(&self) -> bool {
        self.tried_version().is_some()
    }

    /// Returns true if the agent blocks a call whose hook ends with success and prints something else than an answer.
    fn blocks_garbled_answer(&self) -> bool {
        false
    }

    /// A message before a tool that does nothing, as the agent sends it.
    fn probe_message(&self, folder: &str, id: &str) -> serde_json::Value {
        let thread = "countersign-verify";
        serde_json::json!({
            "session_id": thread, "conversation_id": thread, "cwd": folder, "hook_event_name": self.installed_events().first(),
            "tool_name": "Bash", "tool_input": {"command": "true"}, "tool_use_id": id,
        })
    }

    /// The variable that moves a user's configuration.
    fn config_folder_variable(&self) -> Option<&'static str> {
        None
    }

    /// Further files whose settings apply in a project folder, the weakest first: the project file for this machine,
    /// and the administrator's file.
    fn further_settings(&self) -> &'static [&'static str] {
        &[]
    }

    /// The files that configure MCP servers.
    fn server_configs(&self) -> ServerConfigs;

    /// How the configuration holds hooks.
    fn config_format(&self) -> ConfigFormat;

    /// The longest time-out of a hook for this event that the agent accepts, in seconds.
    fn longest_timeout(&self, _event: &str) -> Option<u32> {
        None
    }

    /// Returns true if a configuration setting turns hooks off.
    fn has_hooks_disabled(&self, text: &str) -> Result<bool, ConfigError>;

    /// Returns true if a configuration has rules of the agent that ask its user, which an `allow` of a hook would skip. `None` if
    /// nothing is known about such rules, or if an `allow` also skips rules that deny.
    fn has_asking_rules(&self, _text: &str) -> Result<Option<bool>, ConfigError> {
        Ok(None)
    }

    /// Whether a person has trusted the hook before a tool in the file at `path`, whose text this is; `user_text` is
    /// the user's configuration. `None` if the agent runs hooks without that.
    fn is_hook_trusted(
        &self,
        _text: &str,
        _path: &Path,
        _user_text: &str,
    ) -> Result<Option<bool>, ConfigError> {
        Ok(None)
    }

    /// The entry setting that makes the agent block after a hook failure, and since which version it has that.
    fn failure_setting(&self) -> Option<&'static str> {
        None
    }

    /// What the agent's user does after the installation.
    fn advice(&self) -> &'static str {
        "Check the hooks with: countersign install --verify"
    }
}

impl dyn CodingAgent + '_ {
    /// The event whose hook stops calls.
    #[must_use]
    pub fn blocking_event(&self) -> &'static str {
        self.installed_events().first().copied().unwrap_or_default()
    }
}

impl fmt::Display for dyn CodingAgent + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
