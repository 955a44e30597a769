//! Antigravity, its editor and its command line `agy`: <https://antigravity.google/docs/hooks>.

use super::coding_agent::{CodingAgent, ServerConfigs};
use crate::{
    approval::EditSupport,
    config::{ConfigError, ConfigFormat, JsonEntries, json_file},
    hook::{HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram, specific_output::ToolDecision},
};
use countersign_api::Json;
use serde::{Deserialize, Serialize};

/// Antigravity.
#[derive(Debug)]
pub(crate) struct Antigravity;

/// The message before a tool. It does not say the event, so this is the only hook that is installed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AntigravityMessage {
    conversation_id: String,
    tool_call: AntigravityCall,
    #[serde(default)]
    step_idx: Option<u64>,
    #[serde(default)]
    workspace_paths: Vec<String>,
}

#[derive(Deserialize)]
struct AntigravityCall {
    name: String,
    args: Json,
}

#[derive(Serialize)]
struct AntigravityOutput<'a> {
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl HookProgram for Antigravity {
    fn name(&self) -> &'static str {
        "antigravity"
    }

    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        let bad = |why| HookFailure::BadMessage(format!("stdin is not a hook message of antigravity: {why}"));
        let fields: AntigravityMessage = serde_json::from_str(text).map_err(bad)?;
        let AntigravityCall { name, args } = fields.tool_call;
        let id = fields.step_idx.map(|step| format!("step_{step}"));
        Ok(HookMessage {
            tool_use_id: id,
            cwd: fields.workspace_paths.into_iter().next(),
            ..HookMessage::before_tool(fields.conversation_id, name, args)
        })
    }

    fn encode_answer(&self, answer: &HookAnswer, _: HookEvent) -> Result<String, serde_json::Error> {
        let (decision, reason) = match ToolDecision::from_answer(answer) {
            Ok(decision) => (decision.decision.unwrap_or("deny"), decision.reason),
            // Its own rules decide: what they allow runs, and it asks its user about the rest.
            Err(_) => ("ask", None),
        };
        serde_json::to_string(&AntigravityOutput { decision, reason })
    }

    fn edits(&self) -> EditSupport {
        EditSupport::Unsupported
    }
}

impl CodingAgent for Antigravity {
    fn program(&self) -> &'static str {
        "agy"
    }

    fn installed_events(&self) -> &'static [&'static str] {
        &["PreToolUse"]
    }

    fn config_file(&self) -> &'static str {
        ".gemini/config/hooks.json"
    }

    fn project_config_file(&self) -> &'static str {
        ".agents/hooks.json"
    }

    fn server_configs(&self) -> ServerConfigs {
        ServerConfigs { of_user: ".gemini/config/mcp_config.json", of_project: ".agents/mcp_config.json" }
    }

    fn config_format(&self) -> ConfigFormat {
        ConfigFormat::Json(JsonEntries { group: "countersign", matcher: Some("*"), ..JsonEntries::GROUPED })
    }

    /// Its documentation defines no exit code that stops a call, so every failure answers.
    fn guard(&self) -> &'static str {
        r#"|| echo '{"decision":"deny","reason":"countersign: the call is blocked"}'"#
    }

    fn has_hooks_disabled(&self, text: &str) -> Result<bool, ConfigError> {
        json_file::has_flag(text, &["countersign", "enabled"], false)
    }

    fn probe_message(&self, folder: &str, id: &str) -> serde_json::Value {
        serde_json::json!({
            "conversationId": id, "stepIdx": 1, "workspacePaths": [folder],
            "toolCall": {"name": "run_command", "args": {"CommandLine": "true", "Cwd": folder}},
        })
    }
}
