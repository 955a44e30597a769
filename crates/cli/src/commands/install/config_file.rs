//! The configuration file of an agent, and the copy that is kept of it.

use super::config_scope::ConfigScope;
use countersign_coding_agents::{
    agents::{CODING_AGENTS, CodingAgent, CompanionFile},
    config::{ConfigError, InstalledHook, MAX_CONFIG_BYTES, is_own_file},
};
use countersign_console::{CliError, CommandExit, escape_text, read_variable};
use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// The file name suffix of the copy.
const BACKUP: &str = ".countersign-backup";

/// The configuration file of an agent. It may not exist.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub(super) agent: &'static dyn CodingAgent,
    /// The file itself, not a link to it.
    pub(super) path: PathBuf,
    text: Option<String>,
}

impl ConfigFile {
    /// Reads the file. Fails if it cannot be read, is too large or is not UTF-8.
    pub(super) fn find(agent: &'static dyn CodingAgent, scope: ConfigScope) -> anyhow::Result<Self> {
        let folder = match scope {
            ConfigScope::Project => std::env::current_dir()?,
            ConfigScope::User => {
                let home = read_variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
                home.ok_or_else(|| {
                    CliError::usage("HOME is not an absolute path, so there is no configuration")
                })?
            }
        };
        let named = match agent.config_folder_variable().and_then(read_variable) {
            Some(folder) if scope == ConfigScope::User => {
                let name = agent.config_path(Path::new(""));
                PathBuf::from(folder).join(name.file_name().unwrap_or_default())
            }
            _ if scope == ConfigScope::Project => agent.project_config_path(&folder),
            _ => agent.config_path(&folder),
        };
        let path = named.canonicalize().unwrap_or(named);
        let text = read(&path).map_err(|why| unusable(&path, &why))?;
        Ok(Self { agent, path, text })
    }

    /// Returns true if the file exists.
    pub(super) const fn exists(&self) -> bool {
        self.text.is_some()
    }

    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    pub(super) fn unusable(&self, why: &ConfigError) -> CliError {
        unusable(&self.path, &why.to_string())
    }

    /// The reason why none of these hooks of the file runs.
    pub(super) fn find_hook_trouble(
        &self,
        hooks: &[InstalledHook],
    ) -> Result<Option<&'static str>, CliError> {
        if self.agent.has_hooks_disabled(self.text()).map_err(|why| self.unusable(&why))? {
            return Ok(Some("a setting in this file turns hooks off"));
        }
        let blocks = hooks.iter().any(|hook| hook.event == self.agent.blocking_event());
        Ok((!blocks).then_some("the file has no hook that runs before a tool"))
    }

    fn backup_path(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(BACKUP);
        PathBuf::from(name)
    }

    /// The copy, if there is one.
    pub(super) fn backup(&self) -> Option<PathBuf> {
        Some(self.backup_path()).filter(|path| path.exists())
    }

    pub(super) fn remove_backup(&self) {
        let _ = fs::remove_file(self.backup_path());
    }

    /// The text before `install`, if only `install` has changed the file since; empty if there was no file.
    pub(super) fn text_before_install(&self) -> Result<Option<String>, ConfigError> {
        let before = match read(&self.backup_path()) {
            Ok(before) => before.unwrap_or_default(),
            Err(_) => return Ok(None),
        };
        let hooks = self.agent.installed_hooks(self.text())?;
        let Some(hook) = hooks.first() else { return Ok(None) };
        let installed = self.agent.install_hooks(&before, &hook.command);
        Ok(installed.is_ok_and(|installed| installed == self.text()).then_some(before))
    }

    /// Replaces the file in one step, and keeps a copy of a file without Countersign hooks. Empty content removes the
    /// file.
    pub(super) fn write(&self, text: &str) -> anyhow::Result<()> {
        let failed = |why: &dyn std::fmt::Display| {
            anyhow::anyhow!("{} cannot be changed: {why}", escape_text(&self.path.display().to_string()))
        };
        if text.is_empty() {
            return fs::remove_file(&self.path).map_err(|why| failed(&why));
        }
        let has_hooks = self.agent.installed_hooks(self.text()).is_ok_and(|hooks| !hooks.is_empty());
        if let Some(before) = self.text.as_ref().filter(|_| !has_hooks) {
            replace(&self.backup_path(), &self.path, before).map_err(|why| failed(&why))?;
        }
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(|why| failed(&why))?;
        }
        replace(&self.path, &self.path, text).map_err(|why| failed(&why))
    }
}

/// The further files of an agent's hooks, beside its configuration file.
impl ConfigFile {
    /// Writes them. Fails if one exists that Countersign did not write.
    pub(super) fn write_companions(&self, command: &str) -> anyhow::Result<()> {
        let companions = self.agent.companions(command);
        for CompanionFile { name, text } in &companions {
            let path = self.beside(name);
            let found = read(&path).map_err(|why| unusable(&path, &why))?;
            if found.is_some_and(|found| found != *text && !is_own_file(&found)) {
                return Err(unusable(&path, "Countersign did not write this file").into());
            }
        }
        for CompanionFile { name, text } in &companions {
            replace(&self.beside(name), &self.path, text)?;
        }
        Ok(())
    }

    /// Removes those that Countersign wrote.
    pub(super) fn remove_companions(&self, command: &str) {
        for CompanionFile { name, text } in self.agent.companions(command) {
            let path = self.beside(name);
            if read(&path).ok().flatten().is_some_and(|found| found == text || is_own_file(&found)) {
                let _ = fs::remove_file(path);
            }
        }
    }

    fn beside(&self, name: &str) -> PathBuf {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        name.strip_prefix("../")
            .map_or_else(|| folder.join(name), |name| folder.parent().unwrap_or(folder).join(name))
    }
}

/// The configuration files of the agents that exist, of the user and of the current folder; each once, because the current
/// folder may be the home folder.
pub(super) fn find_config_files(only: Option<&'static dyn CodingAgent>) -> Vec<anyhow::Result<ConfigFile>> {
    let mut found: Vec<anyhow::Result<ConfigFile>> = Vec::new();
    for agent in CODING_AGENTS.iter().filter(|agent| only.is_none_or(|only| only.name() == agent.name())) {
        for scope in [ConfigScope::User, ConfigScope::Project] {
            match ConfigFile::find(*agent, scope) {
                Ok(file) if !file.exists() || found.iter().flatten().any(|known| known.path == file.path) => {
                }
                file => found.push(file),
            }
        }
    }
    found
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
        Ok(found) if found.len() > MAX_CONFIG_BYTES => {
            return Err(format!("it has more than {MAX_CONFIG_BYTES} bytes"));
        }
        Ok(_) => {}
    }
    fs::read_to_string(path).map(Some).map_err(|why| why.to_string())
}

fn unusable(path: &Path, why: &str) -> CliError {
    let message = format!("{}: {why}; nothing was changed", escape_text(&path.display().to_string()));
    CliError { exit: CommandExit::USAGE, code: "bad_agent_configuration", message }
}

/// Writes `path` through a new file, with the permissions of `like`.
fn replace(path: &Path, like: &Path, text: &str) -> std::io::Result<()> {
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(format!(".new-{}", std::process::id()));
    let fresh = PathBuf::from(fresh);
    // The agent starts a script itself.
    let mode = if text.starts_with("#!") { 0o700 } else { 0o600 };
    let written = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&fresh);
    let written = written.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        if let Ok(found) = fs::metadata(like) {
            file.set_permissions(found.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&fresh, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}
