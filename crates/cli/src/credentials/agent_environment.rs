//! Refuses commands that decide inside the environment of an agent. It stops an agent that runs commands under the name of
//! its user from deciding by accident or on request of a hostile text. A program that removes the variable passes it: only
//! a proof of the decision stops such a program.

use crate::{
    exit::{CliError, CommandExit},
    settings::setting::read_variable,
};

/// Variables that coding agents, and `run`, set for the commands that they run.
const VARIABLES: &[(&str, &str)] = &[
    (CALL_VARIABLE, "countersign run"),
    ("CLAUDECODE", "Claude Code"),
    ("CODEX_SANDBOX", "Codex"),
    ("CURSOR_AGENT", "Cursor"),
    ("GEMINI_CLI", "Gemini CLI"),
    ("OPENCODE", "opencode"),
];

/// The variable that `run` sets for the command that it runs.
pub(crate) const CALL_VARIABLE: &str = "COUNTERSIGN_CALL";

/// Fails if this process was started by an agent. `action` is what a person has to do instead.
pub(crate) fn refuse_in_agent_environment(action: &str) -> anyhow::Result<()> {
    let found = VARIABLES.iter().find(|(name, _)| read_variable(name).is_some());
    let Some((name, program)) = found else { return Ok(()) };
    let message = format!(
        "this command runs inside {program} ({name} is set), and an agent may not {action}; a person does it in a \
         terminal of their own"
    );
    Err(CliError { exit: CommandExit::REFUSED, code: "agent_environment", message }.into())
}
