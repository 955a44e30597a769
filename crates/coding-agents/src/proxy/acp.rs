//! The Agent Client Protocol (<https://agentclientprotocol.com>, schema versions 1 and 2): `session/request_permission`, also in
//! the form of [Lace](lace).

use super::{
    AgentProtocol, ask_user,
    client_request::{self, ApprovedWork},
    frame::{JsonRpcFrame, encode},
    lace,
    proposed_tool::{ProposedTool, add_other_fields, new_request},
    question::{AgentLine, ApprovalEffect, EndedTurn, PermissionOutcome, PermissionQuestion},
    recent_map::RecentMap,
    user_prompt::UserPrompt,
};
use countersign_api::{GateError, Json, ResultRequest};
use countersign_events::Status;
use serde_json::{Value, json};

/// The most tool calls whose earlier updates are kept. An older one has no arguments when the agent asks about it.
const MOST_KNOWN_CALLS: usize = 1_000;

/// The most sessions whose folders are kept.
const MOST_SESSIONS: usize = 1_000;

/// The protocol's reader. It keeps the fields of tool calls that earlier updates gave, because a question may name only
/// the id of its call.
#[derive(Debug)]
pub struct AcpProtocol {
    known: RecentMap<(String, String), Value>,
    /// The folder of each new session whose id the agent has not given yet, by the request's id.
    opening: RecentMap<String, String>,
    /// The folder of each session.
    folders: RecentMap<String, String>,
    approved: ApprovedWork,
}

impl Default for AcpProtocol {
    fn default() -> Self {
        Self {
            known: RecentMap::with_limit(MOST_KNOWN_CALLS),
            opening: RecentMap::with_limit(MOST_SESSIONS),
            folders: RecentMap::with_limit(MOST_SESSIONS),
            approved: ApprovedWork::default(),
        }
    }
}

/// The tool call fields that describe it.
const FIELDS: [&str; 5] = ["title", "kind", "content", "locations", "rawInput"];

/// The question parameters that do not change what runs: they name and describe it, or are its tool call.
const KNOWN_PARAMS: &[&str] =
    &["sessionId", "toolCall", "subject", "title", "description", "options", "_meta"];

/// The tool call fields that do not change what runs, besides [`FIELDS`].
const KNOWN_CALL: &[&str] =
    &["toolCallId", "title", "kind", "content", "locations", "rawInput", "status", "rawOutput", "_meta"];

impl AcpProtocol {
    /// Keeps the folder that the client gives a session: in the request that loads it, or in the one that creates it, whose
    /// answer has the id.
    fn remember_folder(&mut self, frame: &JsonRpcFrame) {
        let params = frame.params_value();
        let Some(folder) = params["cwd"].as_str().map(str::to_owned) else { return };
        match (frame.method.as_deref(), params["sessionId"].as_str(), &frame.id) {
            (Some("session/new"), _, Some(id)) => {
                *self.opening.get_or_insert_with(id.as_str().to_owned(), String::new) = folder;
            }
            (Some(_), Some(session), _) => {
                *self.folders.get_or_insert_with(session.to_owned(), String::new) = folder;
            }
            _ => {}
        }
    }

    /// Keeps a new session's id.
    fn remember_session(&mut self, frame: &JsonRpcFrame) {
        let Some(folder) = frame.id.as_ref().and_then(|id| self.opening.remove(&id.as_str().to_owned()))
        else {
            return;
        };
        let result: Value = frame.result.as_ref().and_then(|result| result.read().ok()).unwrap_or_default();
        if let Some(session) = result["sessionId"].as_str() {
            *self.folders.get_or_insert_with(session.to_owned(), String::new) = folder;
        }
    }

    /// Merges the fields from an update into the known ones, and returns all of them.
    fn remember(&mut self, session: &str, id: &str, update: &Value) -> Value {
        let key = (session.to_owned(), id.to_owned());
        let known = self.known.get_or_insert_with(key, || json!({}));
        for field in FIELDS {
            if let Some(value) = update.get(field).filter(|value| !value.is_null()) {
                known[field] = value.clone();
            }
        }
        known.clone()
    }

    fn read_question(&mut self, frame: &JsonRpcFrame) -> Result<AgentLine, GateError> {
        let sent = frame.question_params()?;
        let params = lace::question(&sent).unwrap_or_else(|| sent.clone());
        let call = tool_call(&params);
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let (session, item) = (text(&params, "sessionId"), text(&call, "toolCallId"));
        let known = self.remember(&session, &item, &call);
        let title = [&params["title"], &known["title"]].into_iter().find_map(Value::as_str);
        let kind = known["kind"].as_str().unwrap_or("other");
        let (mut arguments, is_supplied) = arguments(&params, &known);
        add_other_fields(&mut arguments, &params, KNOWN_PARAMS);
        add_other_fields(&mut arguments, &call, KNOWN_CALL);
        let mut description = title.unwrap_or_default().to_owned();
        if !is_supplied {
            description.push_str(if description.is_empty() { "" } else { "; " });
            description.push_str("arguments not supplied: the agent did not say what it would run");
        }
        let (name, folder) = (format!("acp:{kind}"), self.folders.get(&session).cloned());
        let tool = ProposedTool { name: &name, arguments, description: Some(description), folder };
        Ok(AgentLine::Ask(Box::new(PermissionQuestion {
            thread: countersign_api::parse_thread_id(&session)?,
            request: new_request(&item, tool)?,
            item,
            turn: None,
            params: encode(&sent),
            method: frame.method.clone().unwrap_or_default(),
            approval: ApprovalEffect::Answers,
        })))
    }

    /// A request for work of the client: a question of its own, unless an approved tool call covers it.
    fn read_work(&mut self, frame: &JsonRpcFrame, method: &str) -> Result<AgentLine, GateError> {
        let params = frame.question_params()?;
        let session = params["sessionId"].as_str().unwrap_or_default();
        let folder = self.folders.get(&session.to_owned()).cloned();
        if self.approved.take(session, folder.as_deref(), method, &params) {
            return Ok(AgentLine::Pass);
        }
        let item = countersign_api::random_id("acp_");
        let (name, arguments) = client_request::read_work(method, &params);
        let description = Some("the agent asks its client to do this".to_owned());
        let tool = ProposedTool { name, arguments, description, folder };
        Ok(AgentLine::Ask(Box::new(PermissionQuestion {
            thread: countersign_api::parse_thread_id(session)?,
            request: new_request(&item, tool)?,
            item,
            turn: None,
            params: encode(&params),
            method: method.to_owned(),
            approval: ApprovalEffect::PassesOn,
        })))
    }

    fn read_update(&mut self, frame: &JsonRpcFrame) -> AgentLine {
        let params = frame.params_value();
        let update = &lace::update(&params).unwrap_or_else(|| params["update"].clone());
        let is_call = matches!(update["sessionUpdate"].as_str(), Some("tool_call" | "tool_call_update"));
        let (Some(session), Some(id), true) =
            (params["sessionId"].as_str(), update["toolCallId"].as_str(), is_call)
        else {
            return AgentLine::Pass;
        };
        let status = match update["status"].as_str() {
            Some("completed") => Status::Success,
            Some("failed") => Status::Error,
            _ => {
                self.remember(session, id, update);
                return AgentLine::Pass;
            }
        };
        let output = [&update["rawOutput"], &update["content"]].into_iter().find(|value| !value.is_null());
        let result = ResultRequest {
            status,
            content: encode(output.unwrap_or(&Value::Null)),
            executor: None,
            ran_arguments: None,
        };
        AgentLine::Result { thread: session.to_owned(), item: id.to_owned(), result }
    }
}

/// The tool call in a question: in version 1 `toolCall`, in version 2 the `subject` of the type `tool_call`, or a
/// command.
fn tool_call(params: &Value) -> Value {
    let subject = &params["subject"];
    match subject["type"].as_str() {
        Some("tool_call") => subject["toolCall"].clone(),
        Some("command") => {
            let id = subject["toolCallId"].as_str().or(subject["terminalId"].as_str());
            let id = id.map_or_else(|| countersign_api::random_id("command_"), str::to_owned);
            let mut input = json!({"command": subject["command"]});
            add_other_fields(&mut input, subject, &["type", "command", "toolCallId", "terminalId"]);
            json!({"toolCallId": id, "kind": "execute", "rawInput": input})
        }
        _ => params["toolCall"].clone(),
    }
}

/// The call arguments, and whether the agent supplied them.
fn arguments(params: &Value, known: &Value) -> (Value, bool) {
    match known.get("rawInput") {
        Some(input) if input.as_object().is_some_and(|input| !input.is_empty()) => (input.clone(), true),
        _ => {
            let subject = params.get("subject").filter(|subject| subject["type"] != "tool_call");
            let shown = json!({
                "argumentsNotSupplied": true, "title": known["title"], "locations": known["locations"],
                "content": known["content"], "subject": subject,
            });
            (shown, false)
        }
    }
}

/// The id of the option with this kind.
fn option_of_kind<'a>(params: &'a Value, kind: &str) -> Option<&'a str> {
    let options = params["options"].as_array()?;
    options.iter().find(|option| option["kind"] == kind)?["optionId"].as_str()
}

impl AgentProtocol for AcpProtocol {
    fn read_agent(&mut self, frame: &JsonRpcFrame) -> Result<AgentLine, GateError> {
        match frame.method.as_deref() {
            Some(method) if client_request::is_work(method) && frame.is_request() => {
                self.read_work(frame, method)
            }
            Some(method) if self.is_question(method) && frame.is_request() => self.read_question(frame),
            Some("elicitation/create") if frame.is_request() => {
                Ok(ask_user(UserPrompt::of_form(&frame.question_params()?)?))
            }
            Some("session/update") => Ok(self.read_update(frame)),
            None => {
                self.remember_session(frame);
                Ok(AgentLine::Pass)
            }
            _ => Ok(AgentLine::Pass),
        }
    }

    fn read_client(&mut self, frame: &JsonRpcFrame) -> Option<EndedTurn> {
        self.remember_folder(frame);
        let is_cancel = frame.method.as_deref() == Some("session/cancel");
        let thread = frame.params_value()["sessionId"].as_str()?.to_owned();
        is_cancel.then_some(EndedTurn { thread, turn: None })
    }

    /// An approval selects `allow_once`, also if it is for the session: Countersign answers the later calls, and `allow_always`
    /// would let the agent decide what is covered. A refusal selects `reject_once`, or else `reject_always`, which is stricter.
    fn answer(&self, question: &PermissionQuestion, outcome: &PermissionOutcome) -> Json {
        let params: Value = question.params.read().unwrap_or_default();
        if lace::is_question(&params) {
            return encode(&lace::answer(&params, outcome));
        }
        let option = match outcome {
            PermissionOutcome::Allowed => option_of_kind(&params, "allow_once"),
            PermissionOutcome::Refused | PermissionOutcome::Cancelled => None,
        };
        let rejection =
            || option_of_kind(&params, "reject_once").or(option_of_kind(&params, "reject_always"));
        let is_cancelled = matches!(outcome, PermissionOutcome::Cancelled);
        match option.or_else(|| if is_cancelled { None } else { rejection() }) {
            Some(option) => encode(&json!({"outcome": {"outcome": "selected", "optionId": option}})),
            None => encode(&json!({"outcome": {"outcome": "cancelled"}})),
        }
    }

    fn note_approval(&mut self, question: &PermissionQuestion) {
        if question.approval == ApprovalEffect::Answers {
            let session = question.thread.as_str();
            let known = self.known.get(&(session.to_owned(), question.item.clone()));
            self.approved.add(session, &question.item, known.cloned().unwrap_or_default());
        }
    }

    fn is_question(&self, method: &str) -> bool {
        method == "session/request_permission" || client_request::is_work(method)
    }
}
