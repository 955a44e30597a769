//! The hooks in an agent's configuration: added, found and removed without losing anything else in the file.
//!
//! Each entry guards its command with the shell: if the program is missing, is killed or ends in any other way than
//! with success, the shell ends with 2 and a message, which stops the call. Without the message, Codex lets the call
//! through. For agents that ignore exit codes, the shell answers instead.

mod error;
mod format;
mod installed_hook;
pub(crate) mod json_file;
mod own_file;
pub(crate) mod toml_file;

pub use error::ConfigError;
pub use format::{ConfigFormat, JsonEntries};
pub use installed_hook::{HOOK_TIMEOUT_SECONDS, InstalledHook, hook_command, without_guard};
pub use own_file::is_own_file;

use installed_hook::hook_timeout;

use crate::agents::{CodingAgent, ServerConfigs};
use std::path::{Path, PathBuf};

/// The largest configuration file, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 4 * 1024 * 1024;

impl dyn CodingAgent + '_ {
    /// The configuration file in a user's home folder.
    #[must_use]
    pub fn config_path(&self, home: &Path) -> PathBuf {
        home.join(self.config_file())
    }

    /// The configuration file in a project folder.
    #[must_use]
    pub fn project_config_path(&self, project: &Path) -> PathBuf {
        project.join(self.project_config_file())
    }

    /// The settings that apply in a project folder, the weakest first: from the user, the project, the project file for
    /// this machine, and the administrator.
    #[must_use]
    pub fn setting_layers(&self, home: &Path, project: &Path) -> Vec<PathBuf> {
        let mut layers = vec![self.config_path(home), self.project_config_path(project)];
        // To join an absolute path replaces the folder.
        layers.extend(self.further_settings().iter().map(|path| project.join(path)));
        layers.dedup();
        layers
    }

    /// The files that configure the agent's MCP servers in a project folder.
    #[must_use]
    pub fn server_config_paths(&self, home: &Path, project: &Path) -> Vec<PathBuf> {
        let ServerConfigs { of_user, of_project } = self.server_configs();
        let mut paths = vec![home.join(of_user), project.join(of_project)];
        paths.dedup();
        paths
    }

    /// The commands of other hooks that run before a tool. Such a hook may replace call arguments.
    pub fn other_blocking_hooks(&self, text: &str) -> Result<Vec<String>, ConfigError> {
        match self.config_format() {
            ConfigFormat::Json(entries) => json_file::find_other_hooks(self, entries, text),
            ConfigFormat::Toml | ConfigFormat::OwnFile => Ok(Vec::new()),
        }
    }

    /// Adds the hooks to a configuration, and replaces older ones of Countersign. Fails if the text cannot be parsed, or has
    /// another value where hooks belong. An empty text is an empty configuration.
    pub fn install_hooks(&self, text: &str, command: &str) -> Result<String, ConfigError> {
        if self.has_exactly(&self.installed_hooks(text)?, command) {
            return Ok(text.to_owned());
        }
        let cleared = self.uninstall_hooks(text)?;
        match self.config_format() {
            ConfigFormat::Json(entries) => json_file::add_hooks(self, entries, &cleared, command),
            ConfigFormat::Toml => toml_file::add_hooks(self, &cleared, command),
            ConfigFormat::OwnFile => own_file::add_hooks(self, &cleared, command),
        }
    }

    /// Removes the hooks of Countersign from a configuration.
    pub fn uninstall_hooks(&self, text: &str) -> Result<String, ConfigError> {
        if self.installed_hooks(text)?.is_empty() {
            return Ok(text.to_owned());
        }
        match self.config_format() {
            ConfigFormat::Json(entries) => json_file::remove_hooks(self, entries, text),
            ConfigFormat::Toml => toml_file::remove_hooks(self, text),
            ConfigFormat::OwnFile => Ok(String::new()),
        }
    }

    /// The hooks of Countersign in a configuration.
    pub fn installed_hooks(&self, text: &str) -> Result<Vec<InstalledHook>, ConfigError> {
        match self.config_format() {
            ConfigFormat::Json(entries) => json_file::find_hooks(self, entries, text),
            ConfigFormat::Toml => toml_file::find_hooks(self, text),
            ConfigFormat::OwnFile => Ok(own_file::find_hooks(self, text)),
        }
    }

    fn has_exactly(&self, found: &[InstalledHook], command: &str) -> bool {
        let is_current = |hook: &InstalledHook| {
            hook.command == command
                && hook.timeout_seconds == Some(u64::from(hook_timeout(self, &hook.event)))
                && (hook.blocks_on_failure || self.failure_setting().is_none())
        };
        let events = self.installed_events();
        found.len() == events.len()
            && found.iter().all(is_current)
            && events.iter().all(|event| found.iter().any(|hook| hook.event == *event))
    }
}

#[cfg(test)]
mod tests;
