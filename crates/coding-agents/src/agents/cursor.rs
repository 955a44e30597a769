//! Cursor: <https://cursor.com/docs/hooks>.

use super::{
    coding_agent::{CodingAgent, ServerConfigs},
    harmless_events::{COURSE, HarmlessEvents, SAME_CALL, TEXT},
};
use crate::{
    config::{ConfigError, ConfigFormat, JsonEntries},
    hook::{HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram, specific_output::ToolDecision},
};
use countersign_api::Json;
use serde::Serialize;

/// Cursor.
#[derive(Debug)]
pub(crate) struct Cursor;

/// The answer before a tool. The person at the editor and the model get the denial reason.
#[derive(Serialize)]
struct CursorOutput<'a> {
    permission: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a Json>,
}

impl HookProgram for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        HookMessage::read_of_agent(self.name(), text, |event| match event {
            "preToolUse" => Some(HookEvent::BeforeTool),
            "postToolUse" => Some(HookEvent::AfterTool),
            "postToolUseFailure" => Some(HookEvent::AfterToolFailure),
            _ => None,
        })
    }

    fn encode_answer(&self, answer: &HookAnswer, _: HookEvent) -> Result<String, serde_json::Error> {
        let decision = match ToolDecision::from_answer(answer) {
            Ok(decision) => decision.edits_only(answer),
            Err(stop) => return stop.encode(),
        };
        let denial = decision.reason.filter(|_| !decision.is_allowed());
        serde_json::to_string(&CursorOutput {
            permission: decision.decision.unwrap_or_default(),
            user_message: denial,
            agent_message: denial.or(decision.note),
            updated_input: decision.arguments,
        })
    }
}

impl CodingAgent for Cursor {
    fn installed_events(&self) -> &'static [&'static str] {
        &["preToolUse", "postToolUse", "postToolUseFailure"]
    }

    fn harmless_events(&self) -> &'static [HarmlessEvents] {
        &[
            HarmlessEvents {
                why: TEXT,
                names: &["afterAgentResponse", "afterAgentThought", "beforeSubmitPrompt", "preCompact"],
            },
            HarmlessEvents {
                why: COURSE,
                names: &["sessionEnd", "sessionStart", "stop", "subagentStart", "subagentStop"],
            },
            HarmlessEvents {
                why: SAME_CALL,
                names: &[
                    "afterFileEdit",
                    "afterMCPExecution",
                    "afterShellExecution",
                    "beforeMCPExecution",
                    "beforeReadFile",
                    "beforeShellExecution",
                ],
            },
            HarmlessEvents {
                why: "its user types, and takes or leaves the completion",
                names: &["afterTabFileEdit", "beforeTabFileRead"],
            },
        ]
    }

    /// `failClosed` covers it.
    fn blocks_garbled_answer(&self) -> bool {
        true
    }

    fn config_file(&self) -> &'static str {
        ".cursor/hooks.json"
    }

    fn further_settings(&self) -> &'static [&'static str] {
        &["/etc/cursor/hooks.json"]
    }

    fn server_configs(&self) -> ServerConfigs {
        ServerConfigs { of_user: ".cursor/mcp.json", of_project: ".cursor/mcp.json" }
    }

    fn config_format(&self) -> ConfigFormat {
        ConfigFormat::Json(JsonEntries::FLAT)
    }

    fn has_hooks_disabled(&self, _: &str) -> Result<bool, ConfigError> {
        Ok(false)
    }

    fn failure_setting(&self) -> Option<&'static str> {
        Some("failClosed, of Cursor")
    }
}
