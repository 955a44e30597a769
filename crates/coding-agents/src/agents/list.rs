//! The list of coding agents.

use super::{
    amp::AMP, antigravity::Antigravity, claude_code::ClaudeCode, cline::Cline, codex::Codex,
    coding_agent::CodingAgent, copilot_cli::CopilotCli, cursor::Cursor, gemini_cli::GeminiCli, goose::Goose,
    kilo_code::KILO_CODE, openclaw::OPENCLAW, opencode::OPENCODE, qwen_code::QwenCode,
};
use crate::hook::{AnyProgram, HookProgram};
use std::{ffi::OsString, path::Path};

/// The known agents.
pub static CODING_AGENTS: &[&dyn CodingAgent] = &[
    &ClaudeCode,
    &Codex,
    &GeminiCli,
    &Cursor,
    &QwenCode,
    &CopilotCli,
    &OPENCODE,
    &KILO_CODE,
    &Cline,
    &Goose,
    &AMP,
    &OPENCLAW,
    &Antigravity,
];

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

/// Finds the agent that a command starts: the first word whose file name is an agent's program or name.
#[must_use]
pub fn find_started_agent(words: &[OsString]) -> Option<&'static dyn CodingAgent> {
    let names = words.iter().filter_map(|word| Path::new(word).file_name()?.to_str());
    let known = |name| CODING_AGENTS.iter().find(|agent| agent.program() == name || agent.name() == name);
    names.into_iter().find_map(known).copied()
}

/// Finds the program with this name: a coding agent, or `generic` for any other.
pub fn find_program(name: &str) -> Result<&'static dyn HookProgram, UnknownAgent> {
    if name == AnyProgram.name() { Ok(&AnyProgram) } else { find_agent(name).map(|agent| agent as _) }
}
