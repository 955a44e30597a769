//! Qwen Code: <https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks>. Its messages and answers are those of
//! Claude Code, without changed arguments.

use super::{
    coding_agent::{CodingAgent, ServerConfigs},
    harmless_events::{COURSE, HarmlessEvents, SAME_CALL, TEXT},
};
use crate::{
    approval::EditSupport,
    config::{ConfigError, ConfigFormat, JsonEntries, json_file},
    hook::{
        HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram,
        specific_output::{ToolDecision, encode_tool_decision},
    },
};

/// Qwen Code.
#[derive(Debug)]
pub(crate) struct QwenCode;

impl HookProgram for QwenCode {
    fn name(&self) -> &'static str {
        "qwen-code"
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

    /// It ignores `updatedInput` (0.24.4).
    fn edits(&self) -> EditSupport {
        EditSupport::Unsupported
    }
}

impl CodingAgent for QwenCode {
    fn program(&self) -> &'static str {
        "qwen"
    }

    fn installed_events(&self) -> &'static [&'static str] {
        &["PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionEnd"]
    }

    fn harmless_events(&self) -> &'static [HarmlessEvents] {
        &[
            HarmlessEvents {
                why: TEXT,
                names: &[
                    "InstructionsLoaded",
                    "MessageDisplay",
                    "Notification",
                    "PostCompact",
                    "PreCompact",
                    "UserPromptExpansion",
                    "UserPromptSubmit",
                ],
            },
            HarmlessEvents {
                why: COURSE,
                names: &[
                    "SessionDelete",
                    "SessionStart",
                    "Stop",
                    "StopFailure",
                    "SubagentStart",
                    "SubagentStop",
                    "TodoCompleted",
                    "TodoCreated",
                ],
            },
            HarmlessEvents {
                why: SAME_CALL,
                names: &["PermissionDenied", "PermissionRequest", "PostToolBatch"],
            },
        ]
    }

    fn tried_version(&self) -> Option<&'static str> {
        Some("0.24.4")
    }

    fn config_file(&self) -> &'static str {
        ".qwen/settings.json"
    }

    fn further_settings(&self) -> &'static [&'static str] {
        &["/etc/qwen-code/settings.json"]
    }

    fn server_configs(&self) -> ServerConfigs {
        ServerConfigs { of_user: ".qwen/settings.json", of_project: ".qwen/settings.json" }
    }

    fn config_format(&self) -> ConfigFormat {
        // Older versions count milliseconds. Newer ones count seconds, and take a number of this size for milliseconds.
        ConfigFormat::Json(JsonEntries { units_per_second: 1_000, ..JsonEntries::GROUPED })
    }

    fn has_hooks_disabled(&self, text: &str) -> Result<bool, ConfigError> {
        json_file::has_flag(text, &["disableAllHooks"], true)
    }
}
