//! What an agent's settings say now: whether the hook still runs, and whether rules of the agent ask its user.

use super::{
    config_file::ConfigFile, config_scope::ConfigScope, installed::find_hooks, verify::SettingFolders,
};
use countersign_coding_agents::agents::CodingAgent;
use std::{io::ErrorKind, path::Path};

/// Whether a settings file of the agent that was started in this folder has rules of the agent that ask its user. True if that is
/// unknown, such as for a file that cannot be read.
pub(crate) fn may_ask_by_rule(agent: &'static dyn CodingAgent, started: Option<&Path>) -> bool {
    let folders = SettingFolders::current();
    let mut layers = agent.setting_layers(&folders.home, &folders.project);
    layers.extend(started.into_iter().flat_map(|started| agent.setting_layers(&folders.home, started)));
    // A variable may move the user's file, which the layers do not know.
    let Ok(file_of_user) = ConfigFile::find(agent, ConfigScope::User) else { return true };
    layers.push(file_of_user.path);
    layers.iter().any(|path| match std::fs::read_to_string(path) {
        Ok(text) => agent.has_asking_rules(&text).ok().flatten().unwrap_or(true),
        Err(error) => error.kind() != ErrorKind::NotFound,
    })
}

/// The reason why the hook of this agent does not run with the files as they are now; `None` if it runs.
pub(crate) fn find_hook_removal(agent: &dyn CodingAgent) -> Option<String> {
    let folders = SettingFolders::current();
    let layers = agent.setting_layers(&folders.home, &folders.project);
    let texts: Vec<_> =
        layers.iter().filter_map(|path| Some((path, std::fs::read_to_string(path).ok()?))).collect();
    if let Some((path, _)) = texts.iter().find(|(_, text)| agent.has_hooks_disabled(text).unwrap_or(true)) {
        return Some(format!("{} turns hooks off, or cannot be read", path.display()));
    }
    let has_hook = |text: &str| {
        let hooks = agent.installed_hooks(text).unwrap_or_default();
        hooks.iter().any(|hook| hook.event == agent.blocking_event())
    };
    // A variable may move the user's configuration, which the layers do not know.
    let is_found = texts.iter().any(|(_, text)| has_hook(text))
        || find_hooks().iter().any(|hook| hook.agent.name() == agent.name() && hook.trouble.is_none());
    (!is_found).then(|| "no settings file has the hook of Countersign any more".to_owned())
}
