//! The hooks that are installed on this machine.

use super::config_file::{ConfigFile, find_config_files};
use countersign_coding_agents::{agents::CodingAgent, config::without_guard};
use std::path::{Path, PathBuf};

/// The hooks of Countersign in the configuration of one agent.
pub(crate) struct FoundHook {
    pub(crate) agent: &'static dyn CodingAgent,
    pub(crate) path: PathBuf,
    /// The reason why they do not run.
    pub(crate) trouble: Option<String>,
}

/// Finds the hooks of Countersign, of this user and in the current folder. A file that cannot be read is left out:
/// `install --verify` reports it.
pub(crate) fn find_hooks() -> Vec<FoundHook> {
    find_config_files(None).into_iter().flatten().filter_map(find_hook).collect()
}

fn find_hook(file: ConfigFile) -> Option<FoundHook> {
    let hooks = file.agent.installed_hooks(file.text()).ok().filter(|hooks| !hooks.is_empty())?;
    let missing = hooks.iter().find_map(|hook| missing_program(file.agent, &hook.command));
    let trouble = match file.find_hook_trouble(&hooks) {
        Ok(trouble) => missing.or(trouble.map(str::to_owned)),
        Err(error) => Some(error.message),
    };
    Some(FoundHook { agent: file.agent, path: file.path, trouble })
}

/// Whether a folder of the path has this program.
pub(super) fn is_in_path(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// Why a hook command cannot start: its program is not there. The agent then blocks each call.
fn missing_program(agent: &dyn CodingAgent, command: &str) -> Option<String> {
    let program = shlex::split(without_guard(agent, command)?)?.into_iter().next()?;
    let is_there = if program.contains('/') { Path::new(&program).is_file() } else { is_in_path(&program) };
    (!is_there).then(|| format!("its program {program} is missing: run `countersign install` again"))
}
