//! The hooks in the configuration of an agent: added, found and removed without losing anything else in the file.
//!
//! Each entry guards its command with the shell: if the program is missing, is killed or ends in any other way than with
//! success, the shell ends with 2 and a text, which stops the call. Without the text, Codex lets the call through.

mod error;
mod installed_hook;
mod json_file;
mod toml_file;

pub use error::ConfigError;
pub use installed_hook::{HOOK_TIMEOUT_SECONDS, InstalledHook, hook_command, without_guard};

use installed_hook::hook_timeout;

use crate::hook::HookAgent;
use std::path::{Path, PathBuf};

/// The largest configuration file, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 4 * 1024 * 1024;

impl HookAgent {
    /// The events whose hooks are installed.
    pub(crate) const fn installed_events(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[
                "PreToolUse",
                "PermissionRequest",
                "PostToolUse",
                "PostToolUseFailure",
                "PermissionDenied",
                "SessionEnd",
            ],
            Self::Codex => &["PreToolUse", "PostToolUse", "SessionEnd"],
            Self::GeminiCli => &["BeforeTool", "AfterTool"],
            Self::Cursor => &["preToolUse", "postToolUse", "postToolUseFailure"],
        }
    }

    /// The event whose hook stops calls.
    #[must_use]
    pub const fn blocking_event(self) -> &'static str {
        match self {
            Self::ClaudeCode | Self::Codex => "PreToolUse",
            Self::GeminiCli => "BeforeTool",
            Self::Cursor => "preToolUse",
        }
    }

    /// The configuration file, in the home folder of a user or in the folder of a project.
    #[must_use]
    pub fn config_path(self, folder: &Path) -> PathBuf {
        folder.join(match self {
            Self::ClaudeCode => ".claude/settings.json",
            Self::Codex => ".codex/config.toml",
            Self::GeminiCli => ".gemini/settings.json",
            Self::Cursor => ".cursor/hooks.json",
        })
    }

    /// The settings that apply in the folder of a project, the weakest first: those of the user, the project, this machine's part of
    /// the project, and the administrator.
    #[must_use]
    pub fn setting_layers(self, home: &Path, project: &Path) -> Vec<PathBuf> {
        let mut layers = vec![self.config_path(home), self.config_path(project)];
        let further: &[&str] = match self {
            Self::ClaudeCode => &[".claude/settings.local.json", "/etc/claude-code/managed-settings.json"],
            Self::Codex => &[],
            Self::GeminiCli => &["/etc/gemini-cli/settings.json"],
            Self::Cursor => &["/etc/cursor/hooks.json"],
        };
        // To join an absolute path replaces the folder.
        layers.extend(further.iter().map(|path| project.join(path)));
        layers.dedup();
        layers
    }

    /// Whether a person has trusted the hook before a tool in the file at `path`, whose text this is; `user_text` is the
    /// configuration of the user. `None` if the agent runs hooks without that.
    pub fn is_hook_trusted(
        self,
        text: &str,
        path: &Path,
        user_text: &str,
    ) -> Result<Option<bool>, ConfigError> {
        match self {
            Self::Codex => toml_file::is_trusted(self, text, path, user_text).map(Some),
            Self::ClaudeCode | Self::GeminiCli | Self::Cursor => Ok(None),
        }
    }

    /// The files that configure MCP servers of the agent in the folder of a project.
    #[must_use]
    pub fn server_config_paths(self, home: &Path, project: &Path) -> Vec<PathBuf> {
        let (of_user, of_project) = match self {
            Self::ClaudeCode => (".claude.json", ".mcp.json"),
            Self::Codex => (".codex/config.toml", ".codex/config.toml"),
            Self::GeminiCli => (".gemini/settings.json", ".gemini/settings.json"),
            Self::Cursor => (".cursor/mcp.json", ".cursor/mcp.json"),
        };
        let mut paths = vec![home.join(of_user), project.join(of_project)];
        paths.dedup();
        paths
    }

    /// The commands of other hooks that run before a tool. Such a hook may replace the arguments of a call.
    pub fn other_blocking_hooks(self, text: &str) -> Result<Vec<String>, ConfigError> {
        match self {
            Self::Codex => Ok(Vec::new()),
            Self::ClaudeCode | Self::GeminiCli | Self::Cursor => json_file::find_other_hooks(self, text),
        }
    }

    /// Adds the hooks to a configuration, and replaces older ones of Countersign. Fails if the text cannot be parsed, or has
    /// another value where hooks belong. An empty text is an empty configuration.
    pub fn install_hooks(self, text: &str, command: &str) -> Result<String, ConfigError> {
        if self.has_exactly(&self.installed_hooks(text)?, command) {
            return Ok(text.to_owned());
        }
        let cleared = self.uninstall_hooks(text)?;
        match self {
            Self::Codex => toml_file::add_hooks(self, &cleared, command),
            Self::ClaudeCode | Self::GeminiCli | Self::Cursor => {
                json_file::add_hooks(self, &cleared, command)
            }
        }
    }

    /// Removes the hooks of Countersign from a configuration.
    pub fn uninstall_hooks(self, text: &str) -> Result<String, ConfigError> {
        if self.installed_hooks(text)?.is_empty() {
            return Ok(text.to_owned());
        }
        match self {
            Self::Codex => toml_file::remove_hooks(self, text),
            Self::ClaudeCode | Self::GeminiCli | Self::Cursor => json_file::remove_hooks(self, text),
        }
    }

    /// The hooks of Countersign in a configuration.
    pub fn installed_hooks(self, text: &str) -> Result<Vec<InstalledHook>, ConfigError> {
        match self {
            Self::Codex => toml_file::find_hooks(self, text),
            Self::ClaudeCode | Self::GeminiCli | Self::Cursor => json_file::find_hooks(self, text),
        }
    }

    /// True if a setting in the configuration turns hooks off.
    pub fn has_hooks_disabled(self, text: &str) -> Result<bool, ConfigError> {
        match self {
            Self::Codex => toml_file::has_hooks_disabled(text),
            Self::ClaudeCode => json_file::has_flag(text, &["disableAllHooks"], true),
            Self::GeminiCli => Ok(json_file::has_flag(text, &["tools", "enableHooks"], false)?
                || json_file::has_flag(text, &["hooksConfig", "enabled"], false)?),
            Self::Cursor => Ok(false),
        }
    }

    /// True if an entry of the configuration can ask the agent to block after a failure of the hook.
    const fn has_failure_setting(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Cursor)
    }

    fn has_exactly(self, found: &[InstalledHook], command: &str) -> bool {
        let is_current = |hook: &InstalledHook| {
            hook.command == command
                && hook.timeout_seconds == Some(u64::from(hook_timeout(self, &hook.event)))
                && (hook.blocks_on_failure || !self.has_failure_setting())
        };
        let events = self.installed_events();
        found.len() == events.len()
            && found.iter().all(is_current)
            && events.iter().all(|event| found.iter().any(|hook| hook.event == *event))
    }
}

#[cfg(test)]
mod tests;
