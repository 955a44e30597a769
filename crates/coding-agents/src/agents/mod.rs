//! The coding agents with hooks, each in a file of its own. A new one is a file and its line in [`CODING_AGENTS`].

mod amp;
mod antigravity;
mod claude_code;
mod cline;
mod codex;
mod coding_agent;
mod copilot_cli;
mod cursor;
mod gemini_cli;
mod goose;
mod harmless_events;
mod kilo_code;
mod list;
mod openclaw;
mod opencode;
mod plugin_agent;
mod qwen_code;

#[cfg(test)]
pub(crate) use claude_code::ClaudeCode;
#[cfg(test)]
pub(crate) use codex::Codex;
pub use coding_agent::{CodingAgent, CompanionFile, ServerConfigs};
#[cfg(test)]
pub(crate) use cursor::Cursor;
#[cfg(test)]
pub(crate) use gemini_cli::GeminiCli;
pub use harmless_events::HarmlessEvents;
pub use list::{CODING_AGENTS, UnknownAgent, find_agent, find_program, find_started_agent, names};
