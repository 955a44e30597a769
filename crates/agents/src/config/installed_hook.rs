//! The entry of a hook, and the command in it.

use crate::hook::HookAgent;

/// The time-out of a hook in the configuration, in seconds. A hook stops waiting before.
pub const HOOK_TIMEOUT_SECONDS: u32 = 600;

/// The hook time-out for an event, in seconds. Codex allows a `SessionEnd` hook 3 s, and warns about a longer one.
pub(super) fn hook_timeout(agent: HookAgent, event: &str) -> u32 {
    if agent == HookAgent::Codex && event == "SessionEnd" { 3 } else { HOOK_TIMEOUT_SECONDS }
}

/// The end of each command. It makes every failure of the program block the call.
const GUARD: &str = "|| { echo 'countersign: the call is blocked' >&2; exit 2; }";

/// A hook of Countersign in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledHook {
    /// The event, as the agent names it.
    pub event: String,
    /// The command, a line for a shell.
    pub command: String,
    /// The time-out in seconds, if the entry has one.
    pub timeout_seconds: Option<u64>,
    /// True if the entry asks the agent to block after a failure of the hook.
    pub blocks_on_failure: bool,
}

/// The command of a hook: `program` and its options, quoted for a shell, then `hook AGENT`, the options of the hook, and the guard.
#[must_use]
pub fn hook_command(program: &str, agent: HookAgent, options: &[&str]) -> String {
    let words = [&[program, "hook", agent.as_str()], options].concat();
    format!("{} {GUARD}", words.join(" "))
}

/// The beginning of a command that [`hook_command`] made: the program and its options, and `hook AGENT`.
#[must_use]
pub fn without_guard(command: &str) -> Option<&str> {
    command.strip_suffix(GUARD).map(str::trim_end)
}

/// True if the command is one of Countersign for this agent.
pub(super) fn is_own(command: &str, agent: HookAgent) -> bool {
    let hook = format!(" hook {agent}");
    let names_program = command.split(&hook).next().is_some_and(|before| before.contains("countersign"));
    names_program && (command.contains(&format!("{hook} ")) || command.ends_with(&hook))
}
