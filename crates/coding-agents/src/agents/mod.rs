//! The coding agents with hooks, each in a file of its own. A new one is a file and its line in [`CODING_AGENTS`].

mod claude_code;
mod codex;
mod coding_agent;
mod cursor;
mod gemini_cli;
mod list;

#[cfg(test)]
pub(crate) use claude_code::ClaudeCode;
#[cfg(test)]
pub(crate) use codex::Codex;
pub use coding_agent::{CodingAgent, ServerConfigs};
#[cfg(test)]
pub(crate) use cursor::Cursor;
#[cfg(test)]
pub(crate) use gemini_cli::GeminiCli;
pub use list::{CODING_AGENTS, UnknownAgent, find_agent, find_program, names};
