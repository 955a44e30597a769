//! Cline, its command line of version 3: <https://docs.cline.bot/customization/hooks>. A hook is a script with the name of
//! its event.

use super::{
    coding_agent::{CodingAgent, CompanionFile, ServerConfigs},
    harmless_events::{COURSE, HarmlessEvents, TEXT},
};
use crate::{
    config::{ConfigError, ConfigFormat},
    hook::{
        HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram,
        specific_output::{OtherAnswer, ToolDecision},
    },
};
use countersign_api::Json;
use serde::{Deserialize, Serialize};

/// Cline.
#[derive(Debug)]
pub(crate) struct Cline;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClineMessage {
    task_id: String,
    #[serde(default)]
    workspace_roots: Vec<String>,
    #[serde(default, rename = "tool_call")]
    before: Option<ClineCall>,
    #[serde(default, rename = "tool_result")]
    after: Option<ClineCall>,
}

#[derive(Deserialize)]
struct ClineCall {
    id: String,
    name: String,
    input: Json,
    #[serde(default)]
    output: Option<Json>,
    #[serde(default)]
    error: Option<String>,
}

/// The answer before a tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ClineOutput<'a> {
    cancel: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    override_input: Option<&'a Json>,
}

impl HookProgram for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        let bad =
            |why: String| HookFailure::BadMessage(format!("stdin is not a hook message of cline: {why}"));
        let fields: ClineMessage = serde_json::from_str(text).map_err(|why| bad(why.to_string()))?;
        let (event, call) = match (fields.before, fields.after) {
            (Some(call), None) => (HookEvent::BeforeTool, call),
            (None, Some(call)) if call.error.is_some() => (HookEvent::AfterToolFailure, call),
            (None, Some(call)) => (HookEvent::AfterTool, call),
            _ => return Err(bad("it needs tool_call or tool_result".to_owned())),
        };
        Ok(HookMessage {
            event,
            tool_use_id: Some(call.id),
            tool_response: call.output,
            error: call.error,
            cwd: fields.workspace_roots.into_iter().next(),
            ..HookMessage::before_tool(fields.task_id, call.name, call.input)
        })
    }

    fn encode_answer(&self, answer: &HookAnswer, _: HookEvent) -> Result<String, serde_json::Error> {
        let output = match ToolDecision::from_answer(answer) {
            Ok(decision) if decision.is_allowed() => {
                let arguments = decision.edits_only(answer).arguments;
                ClineOutput { cancel: false, error_message: None, override_input: arguments }
            }
            Ok(decision) => {
                ClineOutput { cancel: true, error_message: decision.reason, override_input: None }
            }
            Err(OtherAnswer::Stop(reason)) => {
                ClineOutput { cancel: true, error_message: Some(reason), override_input: None }
            }
            Err(OtherAnswer::Nothing) => return Ok(String::new()),
        };
        serde_json::to_string(&output)
    }
}

impl CodingAgent for Cline {
    fn installed_events(&self) -> &'static [&'static str] {
        &["PreToolUse"]
    }

    fn covered_events(&self) -> &'static [&'static str] {
        &["PreToolUse", "PostToolUse"]
    }

    fn harmless_events(&self) -> &'static [HarmlessEvents] {
        &[
            HarmlessEvents { why: TEXT, names: &["PreCompact", "UserPromptSubmit"] },
            HarmlessEvents {
                why: COURSE,
                names: &[
                    "SessionShutdown",
                    "TaskCancel",
                    "TaskComplete",
                    "TaskError",
                    "TaskResume",
                    "TaskStart",
                ],
            },
        ]
    }

    fn tried_version(&self) -> Option<&'static str> {
        Some("3.0.65")
    }

    /// Cline ends a hook after 120 s, which no setting shortens.
    fn is_frozen_hook_tried(&self) -> bool {
        false
    }

    fn config_file(&self) -> &'static str {
        ".cline/hooks/PreToolUse"
    }

    fn project_config_file(&self) -> &'static str {
        ".clinerules/hooks/PreToolUse"
    }

    fn companions(&self, command: &str) -> Vec<CompanionFile> {
        vec![CompanionFile { name: "PostToolUse", text: self.own_file(command) }]
    }

    fn server_configs(&self) -> ServerConfigs {
        ServerConfigs { of_user: ".cline/data/settings/cline_mcp_settings.json", of_project: ".mcp.json" }
    }

    fn config_format(&self) -> ConfigFormat {
        ConfigFormat::OwnFile
    }

    fn own_file(&self, command: &str) -> String {
        format!(
            "#!/bin/sh\n# Written by `countersign install`; `countersign uninstall` removes it.\n{command}\n"
        )
    }

    /// Cline ignores every exit code, so every failure answers.
    fn guard(&self) -> &'static str {
        r#"|| echo '{"cancel":true,"errorMessage":"countersign: the call is blocked"}'"#
    }

    /// Cline waits 120 s for an answer.
    fn hook_options(&self) -> &'static [&'static str] {
        &["--wait", "90s"]
    }

    fn has_hooks_disabled(&self, _: &str) -> Result<bool, ConfigError> {
        Ok(false)
    }

    fn probe_message(&self, folder: &str, id: &str) -> serde_json::Value {
        serde_json::json!({
            "hookName": "tool_call", "taskId": "countersign-verify", "workspaceRoots": [folder],
            "tool_call": {"id": id, "name": "run_commands", "input": {"commands": ["true"]}},
        })
    }
}
