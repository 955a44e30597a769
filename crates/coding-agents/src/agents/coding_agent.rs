//! What Countersign knows of a coding agent.

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

/// A coding agent whose configuration can hold the hooks of Countersign.
pub trait CodingAgent: HookProgram {
    /// The events whose hooks are installed, that before a tool first: its hook stops calls.
    fn installed_events(&self) -> &'static [&'static str];

    /// The configuration file, relative to a user's home folder or a project folder.
    fn config_file(&self) -> &'static str;

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
