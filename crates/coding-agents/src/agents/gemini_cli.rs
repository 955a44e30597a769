//! Gemini CLI: <https://geminicli.com/docs/hooks/reference>.

use super::{
    coding_agent::{CodingAgent, ServerConfigs},
    harmless_events::{COURSE, HarmlessEvents, MODEL, TEXT},
};
use crate::{
    EditSupport,
    config::{ConfigError, ConfigFormat, JsonEntries, json_file},
    hook::{HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram, specific_output::ToolDecision},
};
use countersign_api::Json;
use serde::Serialize;

/// Gemini CLI.
#[derive(Debug)]
pub(crate) struct GeminiCli;

/// The answer before a tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiOutput<'a> {
    decision: &'static str,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<GeminiInput<'a>>,
}

#[derive(Serialize)]
struct GeminiInput<'a> {
    tool_input: &'a Json,
}

impl HookProgram for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }

    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        HookMessage::read_of_agent(self.name(), text, |event| match event {
            "BeforeTool" => Some(HookEvent::BeforeTool),
            "AfterTool" => Some(HookEvent::AfterTool),
            _ => None,
        })
    }

    fn encode_answer(&self, answer: &HookAnswer, _: HookEvent) -> Result<String, serde_json::Error> {
        let decision = match ToolDecision::from_answer(answer) {
            Ok(decision) => decision.edits_only(answer),
            Err(stop) => return stop.encode(),
        };
        serde_json::to_string(&GeminiOutput {
            decision: decision.decision.unwrap_or_default(),
            reason: decision.reason.unwrap_or_default(),
            hook_specific_output: decision.arguments.map(|tool_input| GeminiInput { tool_input }),
        })
    }

    fn edits(&self) -> EditSupport {
        EditSupport::Merges
    }
}

impl CodingAgent for GeminiCli {
    fn installed_events(&self) -> &'static [&'static str] {
        &["BeforeTool", "AfterTool"]
    }

    fn harmless_events(&self) -> &'static [HarmlessEvents] {
        &[
            HarmlessEvents { why: TEXT, names: &["Notification", "PreCompress"] },
            HarmlessEvents {
                why: COURSE,
                names: &["AfterAgent", "BeforeAgent", "SessionEnd", "SessionStart"],
            },
            HarmlessEvents { why: MODEL, names: &["AfterModel", "BeforeModel", "BeforeToolSelection"] },
        ]
    }

    fn config_file(&self) -> &'static str {
        ".gemini/settings.json"
    }

    fn further_settings(&self) -> &'static [&'static str] {
        &["/etc/gemini-cli/settings.json"]
    }

    fn server_configs(&self) -> ServerConfigs {
        ServerConfigs { of_user: ".gemini/settings.json", of_project: ".gemini/settings.json" }
    }

    fn config_format(&self) -> ConfigFormat {
        // It gives time-outs in milliseconds.
        ConfigFormat::Json(JsonEntries { units_per_second: 1_000, ..JsonEntries::GROUPED })
    }

    fn has_hooks_disabled(&self, text: &str) -> Result<bool, ConfigError> {
        Ok(json_file::has_flag(text, &["tools", "enableHooks"], false)?
            || json_file::has_flag(text, &["hooksConfig", "enabled"], false)?)
    }
}
