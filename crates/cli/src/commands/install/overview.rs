//! `countersign install` without an agent: the agents that are found on this machine.

use super::installed::{FoundHook, find_hooks, is_in_path};
use countersign_coding_agents::agents::{CODING_AGENTS, CodingAgent};
use countersign_console::{
    ColumnFit, CommandContext, CommandExit, TextTable, escape_text, print_json, print_line, read_variable,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A coding agent on this machine, and the hooks of Countersign in its configuration.
struct AgentOnMachine<'a> {
    agent: &'static dyn CodingAgent,
    hooks: Vec<&'a FoundHook>,
}

fn find_agents(installed: &[FoundHook]) -> Vec<AgentOnMachine<'_>> {
    let home = read_variable("HOME").map(PathBuf::from).unwrap_or_default();
    let all = CODING_AGENTS.iter().map(|agent| {
        let hooks = installed.iter().filter(|hook| hook.agent.name() == agent.name()).collect();
        AgentOnMachine { agent: *agent, hooks }
    });
    all.filter(|found| !found.hooks.is_empty() || is_on_machine(found.agent, &home)).collect()
}

/// What a person does next for the coding agents that are on this machine. `program` is the command as they typed it.
pub(crate) fn describe_own_agents(program: &str) -> String {
    let installed = find_hooks();
    let (asking, others): (Vec<_>, Vec<_>) =
        find_agents(&installed).into_iter().partition(|found| !found.hooks.is_empty());
    let names = asking.iter().map(|found| found.agent.name()).collect::<Vec<_>>().join(", ");
    let commands: Vec<_> =
        others.iter().map(|found| format!("\n  {program} install {}", found.agent)).collect();
    let commands = commands.concat();
    match (names.is_empty(), commands.is_empty()) {
        (true, true) => format!("`{program} install` lists the coding agents that can ask like this one."),
        (true, false) => format!("Your own agents can ask like this one:{commands}"),
        (false, true) => format!("Of your own agents, these ask already: {names}."),
        (false, false) => {
            format!("Of your own agents, these ask already: {names}. The others can ask, too:{commands}")
        }
    }
}

/// An agent as JSON.
#[derive(Serialize)]
struct AgentReport<'a> {
    agent: &'static str,
    paths: Vec<&'a PathBuf>,
    next: String,
}

pub(super) fn list_agents(context: &CommandContext) -> anyhow::Result<CommandExit> {
    let installed = find_hooks();
    let mut table = TextTable::new(&[
        ("agent", ColumnFit::Whole),
        ("hook", ColumnFit::Wrapped),
        ("next", ColumnFit::Wrapped),
    ]);
    let found = find_agents(&installed);
    let is_empty = found.is_empty();
    for AgentOnMachine { agent, hooks } in found {
        let next = match hooks.first() {
            None => format!("countersign install {agent}"),
            Some(_) => format!("countersign install --verify {agent}"),
        };
        if context.json {
            let paths = hooks.iter().map(|hook| &hook.path).collect();
            print_json(&AgentReport { agent: agent.name(), paths, next })?;
            continue;
        }
        let places: Vec<String> =
            hooks.iter().map(|hook| escape_text(&hook.path.display().to_string())).collect();
        let places = if places.is_empty() { "not installed".to_owned() } else { places.join(", ") };
        table.add_row(vec![agent.name().into(), places.into(), next.into()]);
    }
    if !context.json {
        print_line(&if is_empty {
            let names: Vec<_> = CODING_AGENTS.iter().map(|agent| agent.name()).collect();
            format!("No known coding agent is on this machine. Known are: {}.", names.join(", "))
        } else {
            table.format(&context.screen())
        });
    }
    Ok(CommandExit::DONE)
}

/// Whether the program of an agent is in the path, or the user has a folder of its settings.
fn is_on_machine(agent: &dyn CodingAgent, home: &Path) -> bool {
    let file = Path::new(agent.config_file());
    // `.config` and `.agents` belong to several programs.
    let own = file.components().take(if file.starts_with(".config") { 2 } else { 1 });
    let folder: PathBuf = own.collect();
    let is_shared =
        folder == Path::new(".agents") || (folder == Path::new(".gemini") && agent.name() == "antigravity");
    is_in_path(agent.program()) || !is_shared && home.join(folder).is_dir()
}
