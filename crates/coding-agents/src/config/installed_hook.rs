//! A hook entry, and the command in it.

use crate::agents::CodingAgent;

/// The hook time-out in the configuration, in seconds. A hook stops waiting before.
pub const HOOK_TIMEOUT_SECONDS: u32 = 600;

/// The hook time-out for an event, in seconds.
pub(super) fn hook_timeout(agent: &dyn CodingAgent, event: &str) -> u32 {
    agent.longest_timeout(event).unwrap_or(HOOK_TIMEOUT_SECONDS)
}

/// A hook of Countersign in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledHook {
    /// The event, as the agent names it.
    pub event: String,
    /// The command, a line for a shell.
    pub command: String,
    /// The time-out in seconds, if the entry has one.
    pub timeout_seconds: Option<u64>,
    /// Whether the entry asks the agent to block after a hook failure.
    pub blocks_on_failure: bool,
}

/// A hook command: `program` and its options, quoted for a shell, then `hook AGENT`, the hook options, and the guard.
#[must_use]
pub fn hook_command(program: &str, agent: &dyn CodingAgent, options: &[&str]) -> String {
    let words = [&[program, "hook", agent.name()], agent.hook_options(), options].concat();
    format!("{} {}", words.join(" "), agent.guard())
}

/// The start of a command that [`hook_command`] made: the program and its options, and `hook AGENT`.
#[must_use]
pub fn without_guard<'a>(agent: &dyn CodingAgent, command: &'a str) -> Option<&'a str> {
    command.strip_suffix(agent.guard()).map(str::trim_end)
}

/// Returns true if this is a Countersign command for this agent.
pub(super) fn is_own(command: &str, agent: &dyn CodingAgent) -> bool {
    let hook = format!(" hook {agent}");
    let names_program = command.split(&hook).next().is_some_and(|before| before.contains("countersign"));
    names_program && (command.contains(&format!("{hook} ")) || command.ends_with(&hook))
}
