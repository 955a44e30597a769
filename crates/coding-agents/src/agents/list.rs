//! The list of coding agents.

use super::{
    claude_code::ClaudeCode, codex::Codex, coding_agent::CodingAgent, cursor::Cursor, gemini_cli::GeminiCli,
};
use crate::hook::{AnyProgram, HookProgram};

/// The known agents.
pub static CODING_AGENTS: &[&dyn CodingAgent] = &[&ClaudeCode, &Codex, &GeminiCli, &Cursor];

/// The name of no known agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an agent with hooks; known are {known}, and generic for any other program", known = names().join(", "))]
pub struct UnknownAgent(pub(crate) String);

/// The known agent names.
#[must_use]
pub fn names() -> Vec<&'static str> {
    CODING_AGENTS.iter().map(|agent| agent.name()).collect()
}

/// Finds the agent with this name.
pub fn find_agent(name: &str) -> Result<&'static dyn CodingAgent, UnknownAgent> {
    let found = CODING_AGENTS.iter().find(|agent| agent.name() == name);
    found.copied().ok_or_else(|| UnknownAgent(name.to_owned()))
}

/// Finds the program with this name: a coding agent, or `generic` for any other.
pub fn find_program(name: &str) -> Result<&'static dyn HookProgram, UnknownAgent> {
    if name == AnyProgram.name() { Ok(&AnyProgram) } else { find_agent(name).map(|agent| agent as _) }
}
