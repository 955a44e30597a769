//! The app server of Codex (`codex app-server generate-json-schema` prints its schema): requests for approval.

use super::{
    AgentProtocol, ask_user,
    frame::{JsonRpcFrame, encode},
    proposed_tool::{ProposedTool, add_other_fields, new_request},
    question::{AgentLine, ApprovalEffect, EndedTurn, PermissionOutcome, PermissionQuestion},
    user_prompt::UserPrompt,
};
use countersign_api::Json;
use countersign_api::{GateError, ResultRequest};
use countersign_events::Status;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};

/// The most items whose changes are kept until the server asks about them.
const MOST_KNOWN_ITEMS: usize = 1_000;

const COMMAND: &str = "item/commandExecution/requestApproval";
const FILE_CHANGE: &str = "item/fileChange/requestApproval";
const PERMISSIONS: &str = "item/permissions/requestApproval";
const USER_INPUT: &str = "item/tool/requestUserInput";
const ELICITATION_REQUEST: &str = "mcpServer/elicitation/request";

/// The question fields that do not change what runs: the question's identity, prose for people, what Codex read from
/// the command, the folder, which is the call's place, and the answers that it offers. `kind` is `command` or the input
/// for a running program.
const KNOWN_FIELDS: &[&str] = &[
    "threadId",
    "turnId",
    "itemId",
    "approvalId",
    "startedAtMs",
    "reason",
    "command",
    "commandActions",
    "cwd",
    "kind",
    "availableDecisions",
    "proposedExecpolicyAmendment",
    "proposedNetworkPolicyAmendments",
];

/// The protocol's reader. It keeps the changes of files, because a question names only their item.
#[derive(Debug, Default)]
pub struct CodexProtocol {
    changes: HashMap<String, Value>,
    order: VecDeque<String>,
}

impl CodexProtocol {
    fn read_question(&self, method: &str, frame: &JsonRpcFrame) -> Result<AgentLine, GateError> {
        let params = frame.question_params()?;
        let item = params["itemId"].as_str().unwrap_or_default().to_owned();
        let id = params["approvalId"].as_str().unwrap_or(&item).to_owned();
        let thread = params["threadId"].as_str().unwrap_or_default();
        let (tool, arguments) = self.describe(method, &params, &item);
        let mut parts: Vec<String> = params["reason"].as_str().map(str::to_owned).into_iter().collect();
        if arguments.get("argumentsNotSupplied").is_some() {
            parts.push("arguments not supplied: the agent did not say what it would run".to_owned());
        }
        let description = (!parts.is_empty()).then(|| parts.join("; "));
        let folder = params["cwd"].as_str().map(str::to_owned);
        Ok(AgentLine::Ask(Box::new(PermissionQuestion {
            thread: countersign_api::parse_thread_id(thread)?,
            request: new_request(&id, ProposedTool { name: tool, arguments, description, folder })?,
            item,
            turn: params["turnId"].as_str().map(str::to_owned),
            params: encode(&params),
            approval: ApprovalEffect::Answers,
            method: method.to_owned(),
        })))
    }

    /// The tool and its arguments, with every field beside them that may change what runs. The tools have the names that the
    /// hooks of Codex use.
    fn describe(&self, method: &str, params: &Value, item: &str) -> (&'static str, Value) {
        let (tool, mut arguments) = match method {
            COMMAND if params["command"].is_string() => ("Bash", json!({"command": params["command"]})),
            COMMAND => ("Bash", json!({"argumentsNotSupplied": true})),
            FILE_CHANGE => match self.changes.get(item) {
                Some(changes) => ("apply_patch", json!({"changes": changes})),
                None => ("apply_patch", json!({"argumentsNotSupplied": true})),
            },
            _ => ("request_permissions", json!({})),
        };
        add_other_fields(&mut arguments, params, KNOWN_FIELDS);
        if params["kind"].as_str().is_some_and(|kind| kind != "command") {
            arguments["kind"] = params["kind"].clone();
        }
        (tool, arguments)
    }

    fn remember_changes(&mut self, item: &Value) {
        let (Some(id), true) = (item["id"].as_str(), item["changes"].is_array()) else { return };
        if self.order.len() == MOST_KNOWN_ITEMS
            && let Some(oldest) = self.order.pop_front()
        {
            self.changes.remove(&oldest);
        }
        if self.changes.insert(id.to_owned(), item["changes"].clone()).is_none() {
            self.order.push_back(id.to_owned());
        }
    }
}

/// The decision to answer with: the wanted one if the server offers it, else the fallback. Never one that lasts longer than this
/// call, or changes the rules of Codex.
fn decision(params: &Value, wanted: &str, fallback: &str) -> Json {
    let offered = params["availableDecisions"].as_array();
    let is_offered =
        |word: &str| offered.is_none_or(|offered| offered.iter().any(|decision| decision == word));
    let chosen = if is_offered(wanted) {
        wanted
    } else if wanted == "accept" && is_offered("decline") {
        "decline"
    } else {
        fallback
    };
    encode(&json!({"decision": chosen}))
}

impl AgentProtocol for CodexProtocol {
    fn read_agent(&mut self, frame: &JsonRpcFrame) -> Result<AgentLine, GateError> {
        let method = frame.method.as_deref().unwrap_or_default();
        match method {
            COMMAND | FILE_CHANGE | PERMISSIONS if frame.is_request() => self.read_question(method, frame),
            USER_INPUT if frame.is_request() => {
                Ok(ask_user(UserPrompt::of_codex(&frame.question_params()?)?))
            }
            ELICITATION_REQUEST if frame.is_request() => {
                Ok(ask_user(UserPrompt::of_form(&frame.question_params()?)?))
            }
            // The first version of the protocol. Its questions would reach the client's dialog.
            "execCommandApproval" | "applyPatchApproval" if frame.is_request() => Ok(AgentLine::Refuse {
                result: encode(&json!({"decision": "denied"})),
                why: format!(
                    "{method} belongs to the first version of the protocol, which this proxy does not answer"
                ),
            }),
            "item/started" => {
                self.remember_changes(&frame.params_value()["item"]);
                Ok(AgentLine::Pass)
            }
            "item/completed" => {
                let params = frame.params_value();
                let item = &params["item"];
                let (Some(thread), Some(id)) = (params["threadId"].as_str(), item["id"].as_str()) else {
                    return Ok(AgentLine::Pass);
                };
                let status = match item["status"].as_str() {
                    Some("completed") => Status::Success,
                    Some("failed" | "declined") => Status::Error,
                    _ => return Ok(AgentLine::Pass),
                };
                let output = json!({"exitCode": item["exitCode"], "output": item["aggregatedOutput"]});
                let result =
                    ResultRequest { status, content: encode(&output), executor: None, ran_arguments: None };
                Ok(AgentLine::Result { thread: thread.to_owned(), item: id.to_owned(), result })
            }
            _ => Ok(AgentLine::Pass),
        }
    }

    fn read_client(&mut self, frame: &JsonRpcFrame) -> Option<EndedTurn> {
        let is_interrupt = frame.method.as_deref() == Some("turn/interrupt");
        let params = frame.params_value();
        let thread = params["threadId"].as_str()?.to_owned();
        is_interrupt.then(|| EndedTurn { thread, turn: params["turnId"].as_str().map(str::to_owned) })
    }

    fn answer(&self, question: &PermissionQuestion, outcome: &PermissionOutcome) -> Json {
        let params: Value = question.params.read().unwrap_or_default();
        if question.method == PERMISSIONS {
            let granted = match outcome {
                PermissionOutcome::Allowed => params["permissions"].clone(),
                PermissionOutcome::Refused | PermissionOutcome::Cancelled => json!({}),
            };
            return encode(&json!({"permissions": granted, "scope": "turn"}));
        }
        match outcome {
            PermissionOutcome::Allowed => decision(&params, "accept", "cancel"),
            PermissionOutcome::Refused => decision(&params, "decline", "cancel"),
            PermissionOutcome::Cancelled => encode(&json!({"decision": "cancel"})),
        }
    }

    fn is_question(&self, method: &str) -> bool {
        matches!(method, COMMAND | FILE_CHANGE | PERMISSIONS | "execCommandApproval" | "applyPatchApproval")
    }
}
