//! Claude Code. Its messages are described in the types of its SDK, and at <https://code.claude.com/docs/en/hooks>.

use super::{
    coding_agent::{CodingAgent, ServerConfigs},
    harmless_events::{COURSE, HarmlessEvents, MODEL, SAME_CALL, TEXT},
};
use crate::{
    EditSupport,
    config::{ConfigError, ConfigFormat, JsonEntries, json_file},
    hook::{
        HookAnswer, HookEvent, HookFailure, HookMessage, HookProgram,
        specific_output::{
            ToolDecision, encode_decision, encode_elicitation, encode_permission, encode_tool_decision,
        },
    },
};

/// Claude Code.
#[derive(Debug)]
pub(crate) struct ClaudeCode;

impl HookProgram for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        HookMessage::read_of_agent(self.name(), text, |event| match event {
            "PreToolUse" => Some(HookEvent::BeforeTool),
            "PermissionRequest" => Some(HookEvent::PermissionRequest),
            "PreSkillShellCommand" => Some(HookEvent::SkillCommand),
            "ConfigChange" => Some(HookEvent::ConfigChange),
            "Elicitation" => Some(HookEvent::Elicitation),
            "PostToolUse" => Some(HookEvent::AfterTool),
            "PostToolUseFailure" => Some(HookEvent::AfterToolFailure),
            "PermissionDenied" => Some(HookEvent::RefusedByAgent),
            "SessionEnd" => Some(HookEvent::SessionEnd),
            _ => None,
        })
    }

    fn encode_answer(&self, answer: &HookAnswer, event: HookEvent) -> Result<String, serde_json::Error> {
        if event == HookEvent::Elicitation {
            return encode_elicitation(answer);
        }
        // It runs several hooks of which each may change the arguments, so an answer always sends them.
        let decision = match answer {
            HookAnswer::NoDecision { arguments: Some(arguments) } if event == HookEvent::BeforeTool => {
                ToolDecision { arguments: Some(arguments), ..ToolDecision::default() }
            }
            HookAnswer::NoDecision { .. } | HookAnswer::Silent => return Ok(String::new()),
            HookAnswer::Defer { reason } => ToolDecision::made("defer", reason),
            answer => match ToolDecision::from_answer(answer) {
                Ok(decision) => decision,
                Err(stop) => return stop.encode(),
            },
        };
        match event {
            HookEvent::PermissionRequest => encode_permission(decision),
            // To allow adds nothing there, and arguments keep the command from running.
            HookEvent::SkillCommand if decision.is_allowed() => Ok(String::new()),
            HookEvent::SkillCommand => encode_decision("PreSkillShellCommand", decision),
            _ => encode_tool_decision(decision),
        }
    }

    /// The tools that ask its user add the answers to their arguments.
    fn changes_reported_input(&self, tool: &str) -> bool {
        matches!(tool, "AskUserQuestion" | "ExitPlanMode")
    }

    /// Its dialog and the hook of the permission request race, and the first answer wins.
    fn prompts_beside_hooks(&self) -> bool {
        true
    }

    /// It tells its hooks if a person sits in front of it; before that variable existed, only how it was started.
    fn is_attended(&self, variable: &dyn Fn(&str) -> Option<String>) -> bool {
        match variable("CLAUDE_CODE_SESSION_ATTENDED") {
            Some(attended) => attended != "0",
            None => variable("CLAUDE_CODE_ENTRYPOINT").is_none_or(|entry| !entry.starts_with("sdk")),
        }
    }

    fn permission_edits(&self) -> EditSupport {
        EditSupport::Replaces
    }

    /// Other agents read its configuration, and ignore changed arguments.
    fn borrower(&self, is_set: &dyn Fn(&str) -> bool) -> Option<&'static str> {
        [("QWEN_CODE", "qwen-code"), ("COPILOT_CLI", "copilot-cli")]
            .into_iter()
            .find_map(|(variable, agent)| is_set(variable).then_some(agent))
    }
}

impl CodingAgent for ClaudeCode {
    fn installed_events(&self) -> &'static [&'static str] {
        &[
            "PreToolUse",
            "PermissionRequest",
            "PreSkillShellCommand",
            "ConfigChange",
            "Elicitation",
            "PostToolUse",
            "PostToolUseFailure",
            "PermissionDenied",
            "SessionEnd",
        ]
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
                    "SessionStart",
                    "Setup",
                    "Stop",
                    "StopFailure",
                    "SubagentStart",
                    "SubagentStop",
                    "TaskCompleted",
                    "TaskCreated",
                    "TeammateIdle",
                ],
            },
            HarmlessEvents { why: SAME_CALL, names: &["PostToolBatch"] },
            HarmlessEvents { why: MODEL, names: &["PostModelSwitch", "PreModelSwitch"] },
            HarmlessEvents {
                why: "it has the answer to a form, which runs nothing",
                names: &["ElicitationResult"],
            },
            HarmlessEvents {
                why: "it tells of a folder or a file: a call that uses it is asked",
                names: &["CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeCreate", "WorktreeRemove"],
            },
        ]
    }

    fn tried_version(&self) -> Option<&'static str> {
        Some("2.1.332")
    }

    fn config_file(&self) -> &'static str {
        ".claude/settings.json"
    }

    fn config_folder_variable(&self) -> Option<&'static str> {
        Some("CLAUDE_CONFIG_DIR")
    }

    fn further_settings(&self) -> &'static [&'static str] {
        &[".claude/settings.local.json", "/etc/claude-code/managed-settings.json"]
    }

    fn server_configs(&self) -> ServerConfigs {
        ServerConfigs { of_user: ".claude.json", of_project: ".mcp.json" }
    }

    fn config_format(&self) -> ConfigFormat {
        ConfigFormat::Json(JsonEntries::GROUPED)
    }

    fn has_hooks_disabled(&self, text: &str) -> Result<bool, ConfigError> {
        json_file::has_flag(text, &["disableAllHooks"], true)
    }

    fn has_asking_rules(&self, text: &str) -> Result<Option<bool>, ConfigError> {
        json_file::has_entries(text, &["permissions", "ask"]).map(Some)
    }

    fn failure_setting(&self) -> Option<&'static str> {
        Some("onFailure: block, of Claude Code 2.1.295 or later")
    }

    fn advice(&self) -> &'static str {
        "Claude Code 2.1.295 or later blocks calls also if a hook fails in a way that Countersign cannot catch.\n\
         Check the hooks with: countersign install --verify"
    }
}
