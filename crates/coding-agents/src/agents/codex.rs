//! Codex. Its messages are those of Claude Code, with fewer answers: <https://developers.openai.com/codex/hooks>.

use super::{
    coding_agent::{CodingAgent, ServerConfigs},
    harmless_events::{COURSE, HarmlessEvents, TEXT},
};
use crate::{
    config::{ConfigError, ConfigFormat, toml_file},
    hook::{
        HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram,
        specific_output::{ToolDecision, encode_tool_decision},
    },
};
use std::path::Path;

/// Codex.
#[derive(Debug)]
pub(crate) struct Codex;

impl HookProgram for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        // Its permission request asks if a command may leave the sandbox, which its message before the tool does not
        // say. Approving the command must not answer that.
        HookMessage::read_of_agent(self.name(), text, |event| match event {
            "PreToolUse" => Some(HookEvent::BeforeTool),
            "PostToolUse" => Some(HookEvent::AfterTool),
            "PostToolUseFailure" => Some(HookEvent::AfterToolFailure),
            "SessionEnd" => Some(HookEvent::SessionEnd),
            _ => None,
        })
    }

    fn encode_answer(&self, answer: &HookAnswer, _: HookEvent) -> Result<String, serde_json::Error> {
        let decision = match ToolDecision::from_answer(answer) {
            Ok(decision) => decision.edits_only(answer),
            Err(stop) => return stop.encode(),
        };
        // Codex rejects an allowing answer that changes nothing, and then ignores it. Silence lets the call continue.
        if decision.is_allowed() && decision.arguments.is_none() {
            return Ok(String::new());
        }
        encode_tool_decision(decision)
    }
}

impl CodingAgent for Codex {
    fn installed_events(&self) -> &'static [&'static str] {
        &["PreToolUse", "PostToolUse", "SessionEnd"]
    }

    fn harmless_events(&self) -> &'static [HarmlessEvents] {
        &[
            HarmlessEvents { why: TEXT, names: &["PostCompact", "PreCompact", "UserPromptSubmit"] },
            HarmlessEvents {
                why: COURSE,
                names: &["Interrupt", "SessionStart", "Stop", "SubagentStart", "SubagentStop"],
            },
            HarmlessEvents {
                why: "an allowed call would leave the sandbox, about which Codex asks its user",
                names: &["PermissionRequest"],
            },
        ]
    }

    fn tried_version(&self) -> Option<&'static str> {
        Some("0.169.0")
    }

    fn config_file(&self) -> &'static str {
        ".codex/config.toml"
    }

    fn config_folder_variable(&self) -> Option<&'static str> {
        Some("CODEX_HOME")
    }

    fn server_configs(&self) -> ServerConfigs {
        ServerConfigs { of_user: ".codex/config.toml", of_project: ".codex/config.toml" }
    }

    fn config_format(&self) -> ConfigFormat {
        ConfigFormat::Toml
    }

    /// It allows a session-end hook 3 s, and warns about a longer time.
    fn longest_timeout(&self, event: &str) -> Option<u32> {
        (event == "SessionEnd").then_some(3)
    }

    fn has_hooks_disabled(&self, text: &str) -> Result<bool, ConfigError> {
        toml_file::has_hooks_disabled(text)
    }

    fn is_hook_trusted(&self, text: &str, path: &Path, user_text: &str) -> Result<Option<bool>, ConfigError> {
        toml_file::is_trusted(self, text, path, user_text).map(Some)
    }

    fn advice(&self) -> &'static str {
        "Codex runs a new hook only after you trusted it: start codex, and review it with /hooks.\n\
         Check the hooks with: countersign install --verify"
    }
}
