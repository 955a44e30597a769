//! Goose: its documentation on hooks, which are those of a plugin folder.

use super::coding_agent::{CodingAgent, CompanionFile, ServerConfigs};
use crate::{
    approval::EditSupport,
    config::{ConfigError, ConfigFormat, JsonEntries},
    hook::{HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram, specific_output::ToolDecision},
};
use serde::Serialize;

/// Goose.
#[derive(Debug)]
pub(crate) struct Goose;

/// The answer before a tool.
#[derive(Serialize)]
struct GooseOutput<'a> {
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl HookProgram for Goose {
    fn name(&self) -> &'static str {
        "goose"
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
        // Goose ignores what a hook after a tool answers.
        let Ok(decision) = ToolDecision::from_answer(answer) else { return Ok(String::new()) };
        let word = if decision.is_allowed() { "allow" } else { "block" };
        serde_json::to_string(&GooseOutput { decision: word, reason: decision.reason })
    }

    fn edits(&self) -> EditSupport {
        EditSupport::Unsupported
    }
}

impl CodingAgent for Goose {
    fn installed_events(&self) -> &'static [&'static str] {
        &["PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionEnd"]
    }

    fn blocks_garbled_answer(&self) -> bool {
        true
    }

    fn config_file(&self) -> &'static str {
        ".agents/plugins/countersign/hooks/hooks.json"
    }

    fn companions(&self, _: &str) -> Vec<CompanionFile> {
        let text = "{\"name\": \"countersign\", \"version\": \"1.0.0\", \"description\": \"Approvals before tools\"}\n";
        vec![CompanionFile { name: "../plugin.json", text: text.to_owned() }]
    }

    fn server_configs(&self) -> ServerConfigs {
        ServerConfigs { of_user: ".config/goose/mcp.json", of_project: ".mcp.json" }
    }

    fn config_format(&self) -> ConfigFormat {
        ConfigFormat::Json(JsonEntries { on_failure: "on_failure", ..JsonEntries::GROUPED })
    }

    fn has_hooks_disabled(&self, _: &str) -> Result<bool, ConfigError> {
        Ok(false)
    }

    fn failure_setting(&self) -> Option<&'static str> {
        Some("on_failure: block, by the documentation of Goose")
    }
}
