//! GitHub Copilot CLI: <https://docs.github.com/en/copilot/reference/hooks-reference>. Events that begin with a capital
//! have the messages of Claude Code, which say the event.

use super::coding_agent::{CodingAgent, ServerConfigs};
use crate::{
    config::{ConfigError, ConfigFormat, JsonEntries, json_file},
    hook::{
        HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram,
        specific_output::{ToolDecision, encode_tool_decision},
    },
};

/// GitHub Copilot CLI.
#[derive(Debug)]
pub(crate) struct CopilotCli;

impl HookProgram for CopilotCli {
    fn name(&self) -> &'static str {
        "copilot-cli"
    }

    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        HookMessage::read_of_agent(self.name(), text, |event| match event {
            "PreToolUse" => Some(HookEvent::BeforeTool),
            "PostToolUse" => Some(HookEvent::AfterTool),
            "PostToolUseFailure" => Some(HookEvent::AfterToolFailure),
            "SessionEnd" => Some(HookEvent::SessionEnd),
            _ => None,
        })
    }

    fn encode_answer(&self, answer: &HookAnswer, _: HookEvent) -> Result<String, serde_json::Error> {
        match ToolDecision::from_answer(answer) {
            Ok(decision) => encode_tool_decision(decision.edits_only(answer)),
            Err(stop) => stop.encode(),
        }
    }
}

impl CodingAgent for CopilotCli {
    fn program(&self) -> &'static str {
        "copilot"
    }

    fn installed_events(&self) -> &'static [&'static str] {
        &["PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionEnd"]
    }

    fn tried_version(&self) -> Option<&'static str> {
        Some("1.0.102")
    }

    fn config_file(&self) -> &'static str {
        ".copilot/hooks/countersign.json"
    }

    fn project_config_file(&self) -> &'static str {
        ".github/hooks/countersign.json"
    }

    fn server_configs(&self) -> ServerConfigs {
        ServerConfigs { of_user: ".copilot/mcp-config.json", of_project: ".mcp.json" }
    }

    fn config_format(&self) -> ConfigFormat {
        ConfigFormat::Json(JsonEntries { has_type: true, ..JsonEntries::FLAT })
    }

    fn has_hooks_disabled(&self, text: &str) -> Result<bool, ConfigError> {
        json_file::has_flag(text, &["disableAllHooks"], true)
    }

    fn blocks_killed_hook(&self) -> Option<&'static str> {
        Some("Copilot CLI denies a call whose hook fails or is killed")
    }
}
